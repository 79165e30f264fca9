// WorkClock is a clock that only work moves. WorkLayer is a layer that does such work, and
// WaitingReader an input layer that waits. Tests of measurements use them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/thread/clock.h"
#include "singa/nn/layer.h"
#include "singa/nn/record_reader.h"

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

// Gives zeros, in the shape of dummy_conf, after a wait of this time for its records.
template <int kWaitMs>
class WaitingReader final : public Layer, public RecordReader {
 public:
  // Counts a wait as that of a reader.
  static void Count(int ms) { waited_ms_ += ms; }

  Wiring wiring(const LayerProto&) const override {
    return {.is_input = true, .differentiable = false};
  }
  void Setup(const LayerProto& conf, Declare&, Inputs, Outputs out) override {
    out[0]->data.SetShape({conf.dummy_conf().shape(0), conf.dummy_conf().shape(1)});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs out) override {
    WorkClock::Take(kWaitMs);
    Count(kWaitMs);
    std::fill_n(out[0]->data.data(), out[0]->data.size(), 0.f);
  }
  RecordReader* reader() override { return this; }

  int64_t Position() const override { return 0; }
  void Seek(int64_t) override {}
  double TakeWaitMs() override { return std::exchange(waited_ms_, 0); }

 private:
  static inline int waited_ms_ = 0;
};

}  // namespace singa
