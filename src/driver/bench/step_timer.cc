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

double Ms(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / static_cast<double>(kMillisecond);
}

// Measures the time of a layer.
class TimedLayer final : public LayerWrapper {
 public:
  TimedLayer(std::unique_ptr<Layer> layer, LayerTimes* times, const Clock* clock)
      : LayerWrapper(std::move(layer)), times_(times), clock_(clock) {}

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t start = clock_->Now();
    layer().ComputeFeature(ctx, phase, in, out);
    if (ctx.stream) ctx.stream->Wait();
    const double ms = Ms(clock_->Now() - start);
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
    times_->backward += Ms(clock_->Now() - start) - (times_->update - updates);
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
}

StepTimer::~StepTimer() {
  for (NetNode& node : trainer_->model().net().nodes()) {
    for (Param* param : node.completes)
      if (param->sink) param->sink = sinks_.at(param);
    node.layer = static_cast<TimedLayer&>(*node.layer).Release();
  }
}

double StepTimer::MsSince(int64_t start) const { return Ms(clock_->Now() - start); }

double StepTimer::Step(int64_t step) {
  times_.assign(times_.size(), {});
  late_updates_ = 0;
  const int64_t start = clock_->Now();
  trainer_->TrainStep(step, this);
  return MsSince(start);
}

void StepTimer::Await(Param* param, int64_t step) {
  trainer_->path().exchange().Await(param, step);
}

void StepTimer::GradientReady(Param* param, int64_t step) {
  const int64_t start = clock_->Now();
  trainer_->path().exchange().GradientReady(param, step);
  times_[owners_.at(param)].update += MsSince(start);
}

void StepTimer::LossNotFinite(const std::string& layer, int64_t step) {
  trainer_->path().exchange().LossNotFinite(layer, step);
}

void StepTimer::Finish(int64_t step) {
  const int64_t start = clock_->Now();
  trainer_->path().exchange().Finish(step);
  if (trainer_->model().ctx().stream) trainer_->model().ctx().stream->Wait();
  late_updates_ += MsSince(start);
}

// Splits the time into the layer's work, as the mean over the threads, and the update.
void StepTimer::Consume(Param* param, const GradientRows& rows) {
  std::atomic<double> inside = 0;
  const auto timed = [&](Context& ctx, int64_t first, int64_t n, float* piece) {
    const int64_t start = clock_->Now();
    rows(ctx, first, n, piece);
    inside += MsSince(start);
  };
  const int64_t start = clock_->Now();
  sinks_.at(param)->Consume(param, std::ref(timed));
  times_[owners_.at(param)].update += MsSince(start) - inside / trainer_->model().ctx().threads;
}

}  // namespace singa
