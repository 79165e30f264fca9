#include "driver/job/job_sinks.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "driver/job/net_graph.h"
#include "io/metrics/event_files.h"
#include "io/metrics/histogram.h"
#include "train/reduce/metric_sums.h"

namespace singa {
namespace {

// Adds the names of the metrics that several layers of the net have.
void AddShared(Net* net, std::set<std::string>* shared) {
  const MetricSums sums(net);
  std::map<std::string, std::string> layers;  // the first, by the metric's name
  for (const MetricSums::Entry& entry : sums.entries()) {
    if (entry.hidden) continue;
    const auto [at, is_new] = layers.try_emplace(entry.name, entry.layer);
    if (at->second != entry.layer) shared->insert(entry.name);
  }
}

std::set<std::string> SharedNames(WorkerModel* model) {
  std::set<std::string> shared;
  AddShared(&model->net(), &shared);
  for (const Phase phase : {kTest, kVal})
    if (Evaluator* evaluator = model->evaluator(phase)) AddShared(&evaluator->net(), &shared);
  return shared;
}

std::span<const float> FloatsOf(const Tensor& tensor) {
  return {tensor.data(), static_cast<size_t>(tensor.size())};
}

}  // namespace

JobSinks::JobSinks(const Workspace& workspace, int64_t steps, WorkerGroups* groups,
                   JobSnapshot* snapshot, Progress* progress)
    : groups_(*groups),
      snapshot_(*snapshot),
      screen_(progress, steps, &groups->lead().model().mark()) {
  WorkerModel& model = groups->lead().model();
  const PendingOptions pending{
      .say = [progress](const std::string& text) { progress->Warn(text); }};
  const MetricsOptions options{workspace.files(), workspace.path(), groups->steps().done(),
                               pending};
  std::vector<MetricsSink*> others = {&screen_};
  if (model.job().tensorboard()) {
    others.push_back(&events_.emplace(options, SharedNames(&model)));
    events_->WriteGraph(GraphOf(model.net()));
  } else {
    CutEventFiles(options.files, options.folder, *options.first_steps);
  }
  sinks_.emplace(options, others);
}

void JobSinks::Write(const MetricsRows& rows) { sinks_->Write(rows); }

void JobSinks::Sync() { sinks_->Sync(); }

void JobSinks::RequireRoom() { sinks_->RequireRoom(); }

void JobSinks::WriteHistograms(int64_t updates) {
  if (!events_) return;
  const JobSnapshot::Hold hold(&snapshot_);
  snapshot_.Collect(updates);
  for (Trainer* trainer : groups_.team(0).trainers()) trainer->path().Download();
  const ActivityMark::Scope writes(&groups_.lead().model().mark(), Activity::kMetrics);
  WriteParams(updates - 1);
}

void JobSinks::WriteParams(int64_t step) {
  WorkerModel& model = groups_.lead().model();
  for (const auto& param : model.params().params())
    events_->WriteHistogram(step, "values/" + param->name(), HistogramOf(FloatsOf(param->host())));
  if (model.place().workers > 1 || model.device()) return;
  for (const Param* param : model.trained().own)
    if (!param->grad.empty())
      events_->WriteHistogram(step, "gradients/" + param->name(),
                              HistogramOf(FloatsOf(param->grad)));
}

}  // namespace singa
