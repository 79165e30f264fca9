#include "driver/bench/step_timer.h"

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "nn/layer_wrapper.h"
#include "singa/nn/record_reader.h"
#include "singa/tensor/stream.h"

namespace singa {
namespace {

// Measures the time of a layer.
class TimedLayer final : public LayerWrapper {
 public:
  TimedLayer(std::unique_ptr<Layer> layer, LayerTimes* times, const Clock* clock)
      : LayerWrapper(std::move(layer)), times_(times), clock_(clock) {}

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t start = clock_->Now();
    layer().ComputeFeature(ctx, phase, in, out);
    if (ctx.stream) ctx.stream->Wait();
    const double ms = MsOf(clock_->Now() - start);
    RecordReader* const reader = layer().reader();
    const double wait = reader ? reader->TakeWaitMs() : 0;
    times_->forward += ms - wait;
    times_->wait += wait;
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const double updates = times_->update;
    const int64_t start = clock_->Now();
    layer().ComputeGradient(ctx, in, out);
    if (ctx.stream) ctx.stream->Wait();
    times_->backward += MsOf(clock_->Now() - start) - (times_->update - updates);
  }

 private:
  LayerTimes* times_;
  const Clock* clock_;
};

}  // namespace

StepTimer::StepTimer(Trainer* trainer, const Clock* clock) : trainer_(trainer), clock_(clock) {
  auto& nodes = trainer->model().net().nodes();
  times_.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].layer = std::make_unique<TimedLayer>(std::move(nodes[i].layer), &times_[i], clock_);
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
  spans_.push_back({.kind = kind,
                    .param = place == places_.end() ? -1 : place->second,
                    .time = {start, clock_->Now()},
                    .computing = computing});
  return MsOf(spans_.back().time.length() - computing);
}

double StepTimer::Step(int64_t step) {
  times_.assign(times_.size(), {});
  spans_.clear();
  late_updates_ = 0;
  const int64_t start = clock_->Now();
  trainer_->TrainStep(step, this);
  return MsOf(clock_->Now() - start);
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
