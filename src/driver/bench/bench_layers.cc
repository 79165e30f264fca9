#include "driver/bench/bench_layers.h"

#include <functional>
#include <utility>
#include <vector>

#include "driver/bench/step_trace.h"
#include "driver/bench/team_recorder.h"
#include "driver/timing/median.h"
#include "driver/timing/node_work.h"
#include "driver/timing/step_timer.h"

namespace singa {
namespace {

// Measurements, one entry per step.
struct Steps {
  std::vector<std::vector<LayerTimes>> layers;
  std::vector<double> ms, late_updates;
  StepTraces traces;
};

// Returns the median of value(i) over the steps i.
double MedianOf(const Steps& steps, const std::function<double(size_t)>& value) {
  std::vector<double> values;
  for (size_t s = 0; s < steps.ms.size(); ++s) values.push_back(value(s));
  return Median(std::move(values));
}

double SumOf(const std::vector<LayerTimes>& layers, double LayerTimes::*part) {
  double sum = 0;
  for (const LayerTimes& times : layers) sum += times.*part;
  return sum;
}

Steps RunSteps(const BenchLimits& limits, Trainer* trainer) {
  const SteadyClock clock;
  StepTimer timer(trainer, &clock);
  Steps steps;
  for (int64_t s = 0; s < limits.warm_up; ++s) timer.Step(s);
  const int64_t start = clock.Now();
  for (int64_t s = 0; s < limits.steps; ++s) {
    if (s >= limits.least && MsOf(clock.Now() - start) > 1e3 * limits.seconds) break;
    steps.ms.push_back(timer.Step(limits.warm_up + s));
    steps.layers.push_back(timer.layers());
    steps.late_updates.push_back(timer.late_updates());
    steps.traces.Add(
        {.step = limits.warm_up + s,
         .time = timer.time(),
         .workers = {SpansOf(timer.layer_spans(), timer.spans(), TraceSpan::kUpdates)}});
  }
  return steps;
}

BenchRow RowOf(const Steps& steps, size_t i, const NetNode& node, int64_t states) {
  BenchRow row;
  row.layer = node.full_name;
  row.type = node.conf.has_user_type() ? node.conf.user_type() : LayerType_Name(node.conf.type());
  row.forward_ms = MedianOf(steps.layers, i, &LayerTimes::forward);
  row.backward_ms = MedianOf(steps.layers, i, &LayerTimes::backward);
  row.update_ms = MedianOf(steps.layers, i, &LayerTimes::update);
  const NodeWork work = WorkOf(node, states);
  row.flops = work.flops();
  row.bytes = work.bytes();
  return row;
}

BenchReport ReportOf(const Steps& steps, Trainer* trainer) {
  BenchReport report;
  report.trace = steps.traces.Median();
  AddNames(trainer->model(), &report.trace);
  const auto states = static_cast<int64_t>(trainer->replica().state_count());
  const auto sum = [&](double LayerTimes::*part) {
    return MedianOf(steps, [&](size_t s) { return SumOf(steps.layers[s], part); });
  };
  report.sum.layer = "sum";
  for (const NetNode& node : trainer->model().net().nodes()) {
    report.layers.push_back(RowOf(steps, report.layers.size(), node, states));
    report.sum.flops += report.layers.back().flops;
    report.sum.bytes += report.layers.back().bytes;
  }
  report.sum.forward_ms = sum(&LayerTimes::forward);
  report.sum.backward_ms = sum(&LayerTimes::backward);
  report.sum.update_ms = sum(&LayerTimes::update);
  report.wait_ms = sum(&LayerTimes::wait);
  report.step_ms = Median(steps.ms);
  report.late_update_ms = Median(steps.late_updates);
  report.overhead_ms = MedianOf(steps, [&](size_t s) {
    double rest = steps.ms[s] - steps.late_updates[s];
    for (const LayerTimes& times : steps.layers[s]) rest -= times.sum();
    return rest;
  });
  report.batch = trainer->model().samples_per_step();
  report.steps = static_cast<int64_t>(steps.ms.size());
  return report;
}

}  // namespace

BenchReport BenchLayers(const BenchLimits& limits, Trainer* trainer) {
  return ReportOf(RunSteps(limits, trainer), trainer);
}

}  // namespace singa
