// Transfers moves one node's tensors between host and device. It waits before the node computes,
// and copies afterwards.
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
  // Device memory for a host node's feature until the step before has read the last one. Empty: the
  // feature is copied directly.
  Tensor staging;
  bool to_device = false;          // the node is on the host, and copies go to the device
  bool reads_device = false;       // the node reads, on the host, a value made on the device
  bool reads_device_grad = false;  // its gradient, on the host, reads a gradient made on the device

  // Called before the node computes, or checks its inputs on the host.
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
  // Waits until the last copies have read the memory that the host is about to overwrite.
  void Settle() {
    if (last_) last_->Wait();
    last_.reset();
  }
  void Run(Context& ctx, const std::vector<Copy>& copies) {
    if (copies.empty()) return;
    for (const Copy& copy : copies) ctx.stream->Copy(copy.from, copy.to, copy.bytes);
    if (to_device) last_ = ctx.stream->Record();
  }
  // Copies to `staging` while the device computes the step before, and from there in the stream's
  // order. Before it waits until the last staged feature was taken.
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
