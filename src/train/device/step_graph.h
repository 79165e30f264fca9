// StepGraph captures the work of a training step on a device once, and replays it from then on. A
// replay is one launch, whatever the number of kernels.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "singa/nn/net.h"
#include "singa/tensor/stream.h"

namespace singa {

class StepGraph {
 public:
  // Both must outlive it. `pass`: flags of a step's first pass. REQUIRES: WhyHostWorks(*net) is
  // "".
  StepGraph(Net* net, Context* ctx, Phase pass) : net_(net), ctx_(ctx), pass_(pass) {}

  // Does what `step` does. REQUIRES: `step` only hands out work, the same each time except for
  // numbers that kernels read on the device.
  void Run(const std::function<void()>& step);
  // Forgets the captured work. The next steps may differ from those before, but not from each
  // other.
  void Forget();

 private:
  void Capture(const std::function<void()>& step);
  std::string Try(const std::function<void()>& step);

  // Steps that run uncaptured first: libraries load their kernels and choose among them.
  static constexpr int kWarmUp = 2;

  Net* const net_;
  Context* const ctx_;
  const Phase pass_;
  bool captures_ = true;                // false: a layer's work cannot be captured
  int steps_ = 0;                       // steps that ran before the capture
  std::unique_ptr<CapturedWork> work_;  // null: not captured yet
};

}  // namespace singa
