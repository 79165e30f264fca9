// WorkClock is a clock that only work moves, and WorkLayer is a layer that does such work. Tests of
// measurements use them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/thread/clock.h"
#include "singa/nn/layer.h"

namespace singa {

// All tests share its time, because factories make layers and updaters.
class WorkClock final : public Clock {
 public:
  int64_t Now() const override { return now_; }
  static void Take(int ms) { now_ += ms * kMillisecond; }

 private:
  static inline std::atomic<int64_t> now_ = 0;
};

// Copies its source, in these times.
template <int kForwardMs, int kBackwardMs>
class WorkLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {}; }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    WorkClock::Take(kForwardMs);
    std::copy_n(in[0]->data.data(), in[0]->data.size(), out[0]->data.data());
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    WorkClock::Take(kBackwardMs);
    std::copy_n(out[0]->grad.data(), out[0]->grad.size(), in[0]->grad.data());
  }
};

}  // namespace singa
