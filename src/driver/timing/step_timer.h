// StepTimer measures the time of each layer of a net in a step. It wraps the layers and the
// exchange that the algorithm calls, so training itself has no hooks. The worker's thread uses it.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/thread/clock.h"
#include "driver/timing/step_overlap.h"
#include "singa/train/param_exchange.h"
#include "train/trainer/trainer.h"

namespace singa {

// Milliseconds of one layer in one step.
struct LayerTimes {
  double forward = 0;   // without wait
  double backward = 0;  // without the updates in it
  double update = 0;    // for the params that this layer is the last to use
  double wait = 0;      // for records, in an input layer
  double sum() const { return forward + backward + update + wait; }
};

// Returns the median of a part of a layer's times. `steps`: times by step and layer. REQUIRES:
// there is a step.
double MedianOf(const std::vector<std::vector<LayerTimes>>& steps, size_t layer,
                double LayerTimes::*part);

class StepTimer final : public ParamExchange, public GradientSink {
 public:
  // Wraps the net's layers and the params' sinks. Both arguments must outlive it. REQUIRES:
  // trainer->Allocate() was called. `takes_waits`: leaves waits for records out of the times of
  // layers. The trainer's metrics then lack these waits.
  StepTimer(Trainer* trainer, const Clock* clock, bool takes_waits = true);
  ~StepTimer() override;

  // Runs one step. Returns its milliseconds.
  double Step(int64_t step);
  // Clears the times. Call it before a step that the trainer runs by itself; the step then gives
  // times of layers and of the updates inside them.
  void Clear();

  // Times of the last step, in the net's order.
  const std::vector<LayerTimes>& layers() const { return times_; }
  // Milliseconds of the last step's updates that waited for the end of the backward pass.
  double late_updates() const { return late_updates_; }
  // The calls to layers in the last step, in their order.
  const std::vector<LayerSpan>& layer_spans() const { return layer_spans_; }
  // The last step.
  const Interval& time() const { return time_; }
  // The calls to the exchange in the last step, in their order.
  const std::vector<ExchangeSpan>& spans() const { return spans_; }

  void Await(Param* param, int64_t step) override;
  void GradientReady(Param* param, int64_t step) override;
  bool sees_losses() const override { return trainer_->path().exchange().sees_losses(); }
  bool may_drop_steps() const override { return trainer_->path().exchange().may_drop_steps(); }
  void LossNotFinite(const std::string& layer, int64_t step) override;
  void Finish(int64_t step) override;
  void Consume(Param* param, const GradientRows& rows) override;

 private:
  // Adds the call that began at `start` to the spans. Returns its milliseconds without `computing`.
  double Note(ExchangeSpan::Kind kind, const Param* param, int64_t start, int64_t computing = 0);

  Trainer* trainer_;
  const Clock* clock_;
  std::map<const Param*, size_t> owners_;  // param -> layer that completes its gradient
  std::map<const Param*, GradientSink*> sinks_;
  std::map<const Param*, int> places_;  // in TrainedParams::own
  std::vector<ExchangeSpan> spans_;
  std::vector<LayerTimes> times_;
  std::vector<LayerSpan> layer_spans_;
  Interval time_;
  double late_updates_ = 0;
};

}  // namespace singa
