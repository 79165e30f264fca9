// StepGraph: the work of a training step on a device, captured once and replayed from then on: one
// launch a step, whatever the number of its kernels.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "singa/nn/net.h"
#include "singa/tensor/stream.h"

namespace singa {

class StepGraph {
 public:
  // Both outlive it. `pass`: flags of a step's first pass. REQUIRES: net->HostsPart() is "".
  StepGraph(Net* net, Context* ctx, Phase pass) : net_(net), ctx_(ctx), pass_(pass) {}

  // Does what `step` does, which hands out the same work each time but for what kernels read on the
  // device, and does nothing else.
  void Run(const std::function<void()>& step);

 private:
  void Capture(const std::function<void()>& step);
  std::string Try(const std::function<void()>& step);

  // Libraries load their kernels and choose among them in the first.
  static constexpr int kWarmUp = 2;

  Net* const net_;
  Context* const ctx_;
  const Phase pass_;
  bool captures_ = true;                // false: a layer does what cannot be captured
  int steps_ = 0;                       // until it is captured
  std::unique_ptr<CapturedWork> work_;  // null: not yet
};

}  // namespace singa
