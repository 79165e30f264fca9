// Transfers: what one node's tensors take to be where they are needed: copies between host and
// device after it has computed, waits before.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "singa/tensor/tensor.h"

namespace singa {

class Transfers {
 public:
  struct Copy {
    const void* from;
    void* to;
    int64_t bytes;
  };
  std::vector<Copy> of_feature, of_gradient;
  // Of a node on the host: where its feature waits on the device until the step before has read its
  // own. Empty: there is nothing to wait for.
  Tensor staging;
  bool to_device = false;          // the node is on the host
  bool reads_device = false;       // it reads on the host what the device makes
  bool reads_device_grad = false;  // and its gradient

  // Before the node computes or checks on the host.
  void BeforeFeature(Context& ctx) {
    if (reads_device) ctx.stream->Wait();
    Settle();
  }
  void BeforeGradient(Context& ctx) {
    if (reads_device_grad) ctx.stream->Wait();
  }
  void AfterFeature(Context& ctx) {
    if (staging.empty())
      Run(ctx, of_feature);
    else
      Upload(ctx);
  }
  void AfterGradient(Context& ctx) { Run(ctx, of_gradient); }

 private:
  // What the host is about to write again may still be read by its last copies.
  void Settle() {
    if (last_) last_->Wait();
    last_.reset();
  }
  void Run(Context& ctx, const std::vector<Copy>& copies) {
    if (copies.empty()) return;
    for (const Copy& copy : copies) ctx.stream->Copy(copy.from, copy.to, copy.bytes);
    if (to_device) last_ = ctx.stream->Record();
  }
  // Beside the work of the step before, whose staged feature was taken when that began.
  void Upload(Context& ctx) {
    if (taken_) ctx.uploads->Await(*taken_);
    char* staged = staging.as<char>();
    for (const Copy& copy : of_feature) {
      ctx.uploads->Copy(copy.from, staged, copy.bytes);
      staged += copy.bytes;
    }
    last_ = ctx.uploads->Record();
    ctx.stream->Await(*last_);
    staged = staging.as<char>();
    for (const Copy& copy : of_feature) {
      ctx.stream->Copy(staged, copy.to, copy.bytes);
      staged += copy.bytes;
    }
    taken_ = ctx.stream->Record();
  }

  std::unique_ptr<Event> last_, taken_;
};

}  // namespace singa
