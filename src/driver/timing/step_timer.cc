#include "driver/timing/step_timer.h"

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "driver/timing/median.h"
#include "nn/layer_wrapper.h"
#include "singa/nn/record_reader.h"
#include "singa/tensor/stream.h"

namespace singa {
namespace {

// Measures the time of a layer.
class TimedLayer final : public LayerWrapper {
 public:
  // Adds a copy of `span`, with its time, to `spans` for each call.
  TimedLayer(std::unique_ptr<Layer> layer, const LayerSpan& span, LayerTimes* times,
             std::vector<LayerSpan>* spans, const Clock* clock, bool takes_waits)
      : LayerWrapper(std::move(layer)),
        span_(span),
        times_(times),
        spans_(spans),
        clock_(clock),
        takes_waits_(takes_waits) {}

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t start = clock_->Now();
    layer().ComputeFeature(ctx, phase, in, out);
    if (ctx.stream) ctx.stream->Wait();
    const Interval time = {start, clock_->Now()};
    RecordReader* const reader = takes_waits_ ? layer().reader() : nullptr;
    const double wait = reader ? reader->TakeWaitMs() : 0;
    times_->forward += MsOf(time.length()) - wait;
    times_->wait += wait;
    Note(false, time, static_cast<int64_t>(wait * kMillisecond));
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const double updates = times_->update;
    const int64_t start = clock_->Now();
    layer().ComputeGradient(ctx, in, out);
    if (ctx.stream) ctx.stream->Wait();
    const Interval time = {start, clock_->Now()};
    times_->backward += MsOf(time.length()) - (times_->update - updates);
    Note(true, time, 0);
  }

 private:
  void Note(bool backward, const Interval& time, int64_t wait) {
    spans_->push_back(span_);
    spans_->back().backward = backward;
    spans_->back().time = time;
    spans_->back().wait = wait;
  }

  const LayerSpan span_;
  LayerTimes* times_;
  std::vector<LayerSpan>* spans_;
  const Clock* clock_;
  const bool takes_waits_;
};

}  // namespace

double MedianOf(const std::vector<std::vector<LayerTimes>>& steps, size_t layer,
                double LayerTimes::*part) {
  std::vector<double> values;
  values.reserve(steps.size());
  for (const std::vector<LayerTimes>& layers : steps) values.push_back(layers[layer].*part);
  return Median(std::move(values));
}

StepTimer::StepTimer(Trainer* trainer, const Clock* clock, bool takes_waits)
    : trainer_(trainer), clock_(clock) {
  auto& nodes = trainer->model().net().nodes();
  times_.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const LayerSpan span = {.layer = static_cast<int>(i), .bridge = nodes[i].bridge, .time = {}};
    nodes[i].layer = std::make_unique<TimedLayer>(std::move(nodes[i].layer), span, &times_[i],
                                                  &layer_spans_, clock_, takes_waits);
    for (Param* param : nodes[i].completes) {
      owners_[param] = i;
      if (param->sink) sinks_[param] = std::exchange(param->sink, this);
    }
  }
  int place = 0;
  for (const Param* param : trainer->model().trained().own) places_[param] = place++;
}

StepTimer::~StepTimer() {
  for (NetNode& node : trainer_->model().net().nodes()) {
    for (Param* param : node.completes)
      if (param->sink) param->sink = sinks_.at(param);
    node.layer = static_cast<TimedLayer&>(*node.layer).Release();
  }
}

double StepTimer::Note(ExchangeSpan::Kind kind, const Param* param, int64_t start,
                       int64_t computing) {
  const auto place = places_.find(param);
  const auto owner = owners_.find(param);
  spans_.push_back({.kind = kind,
                    .param = place == places_.end() ? -1 : place->second,
                    .layer = owner == owners_.end() ? -1 : static_cast<int>(owner->second),
                    .time = {start, clock_->Now()},
                    .computing = computing});
  return MsOf(spans_.back().time.length() - computing);
}

void StepTimer::Clear() {
  times_.assign(times_.size(), {});
  spans_.clear();
  layer_spans_.clear();
  late_updates_ = 0;
}

double StepTimer::Step(int64_t step) {
  Clear();
  const int64_t start = clock_->Now();
  trainer_->TrainStep(step, this);
  time_ = {start, clock_->Now()};
  return MsOf(time_.length());
}

void StepTimer::Await(Param* param, int64_t step) {
  const int64_t start = clock_->Now();
  trainer_->path().exchange().Await(param, step);
  Note(ExchangeSpan::kAwait, param, start);
}

void StepTimer::GradientReady(Param* param, int64_t step) {
  const int64_t start = clock_->Now();
  trainer_->path().exchange().GradientReady(param, step);
  times_[owners_.at(param)].update += Note(ExchangeSpan::kGradient, param, start);
}

void StepTimer::LossNotFinite(const std::string& layer, int64_t step) {
  trainer_->path().exchange().LossNotFinite(layer, step);
}

void StepTimer::Finish(int64_t step) {
  const int64_t start = clock_->Now();
  trainer_->path().exchange().Finish(step);
  if (trainer_->model().ctx().stream) trainer_->model().ctx().stream->Wait();
  late_updates_ += Note(ExchangeSpan::kFinish, nullptr, start);
}

// Splits the time into the layer's work, as the mean over the threads, and the update.
void StepTimer::Consume(Param* param, const GradientRows& rows) {
  std::atomic<int64_t> inside = 0;
  const auto timed = [&](Context& ctx, int64_t first, int64_t n, float* piece) {
    const int64_t start = clock_->Now();
    rows(ctx, first, n, piece);
    inside += clock_->Now() - start;
  };
  const int64_t start = clock_->Now();
  sinks_.at(param)->Consume(param, std::ref(timed));
  times_[owners_.at(param)].update +=
      Note(ExchangeSpan::kPieces, param, start, inside / trainer_->model().ctx().threads);
}

}  // namespace singa
