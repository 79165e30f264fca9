// A Trainer trains one worker's model: it runs the algorithm, and leads its gradients to updates
// and its metrics to sums. One thread uses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "singa/proto/job.pb.h"
#include "train/apply/replica_updates.h"
#include "train/device/device_updates.h"
#include "train/device/loss_scale.h"
#include "train/reduce/group_exchange.h"
#include "train/reduce/group_memory.h"
#include "train/reduce/metric_sums.h"
#include "train/trainer/accumulated_exchange.h"
#include "train/trainer/batch_gate.h"
#include "train/trainer/job_memory.h"
#include "train/trainer/step_path.h"
#include "train/trainer/worker_model.h"
#include "train/trainer/worker_place.h"

namespace singa {

class Trainer {
 public:
  // Makes the one worker of a job. Allocates no tensor. Throws ConfigError relative to the
  // JobProto. `choices` is as in WorkerModel.
  Trainer(const JobProto& job, int threads, std::vector<KernelChoice>* choices = nullptr);
  // Makes one of several workers. Checkpoints take values and updater states from `replica`. All
  // must outlive it.
  Trainer(const JobProto& job, const WorkerPlace& place, Replica* replica, SliceUpdates* updates);
  ~Trainer();

  WorkerModel& model() { return model_; }
  const WorkerModel& model() const { return model_; }
  JobMemory memory() const { return memory_; }
  // Returns, for people, why no device has the values and updates them; "": one does.
  const std::string& why_host_updates() const { return why_host_updates_; }
  Replica& replica() { return *replica_; }
  const Replica& replica() const { return *replica_; }
  SliceUpdates& updates() { return *updates_; }
  // Returns null if losses are not scaled.
  LossScale* loss_scale() { return loss_scale_ ? &*loss_scale_ : nullptr; }
  // Returns what leads its steps. REQUIRES: it was allocated.
  StepPath& path() { return *path_; }

  // Allocates everything and opens the stores, for the one worker of a job.
  void Allocate();
  // Does what Allocate does for a worker of a group. `reduction` adds up the group's gradients.
  // `exchange`: moves regions of features; null: the workers divide all layers by rows.
  // `shared`: memory that the group shares with other processes, or null. All three must outlive
  // it. `lead`: a worker of this process that was allocated before, whose trained values this one
  // uses too, or null.
  void AllocateIn(GradientReduction* reduction, RegionExchange* exchange, const GroupMemory* shared,
                  const Trainer* lead);

  // Computes the batches of step `step` and applies their updates. A device may still work on it
  // afterwards: a later call then throws its errors. Returns false if `gate`, which may be null,
  // has abandoned the step: there is no update, and StepUndo must take its batches back.
  bool TrainStep(int64_t step, BatchGate* gate = nullptr);
  // Does the same through `exchange`, which must hand all gradients on to path().exchange().
  void TrainStep(int64_t step, ParamExchange* exchange);
  // Returns whether TrainStep may have a gate: a step has several batches, and no device works on
  // them. All workers of a group agree on batches that drop the step, so each one has to train.
  bool may_abandon() const { return accumulated_ && accumulated_->trains() && !model_.device(); }
  // Ends its part in the group's sums, so that no worker waits for another. Called in the worker's
  // thread, also before Allocate.
  void LeaveGroup() {
    if (path_) path_->LeaveGroup();
  }
  // Ends the files of the train net's output layers, after the last step.
  void Finish();
  // Returns the sums of its metrics over the steps since the last Reset, without skipped ones.
  // Waits for a device, which has the sums until then.
  MetricSums& metrics();
  // Returns SliceUpdates::GradientNorm of the last step; none if clip_norm is not set. Waits for a
  // device.
  std::optional<double> GradientNorm(int64_t step);

 private:
  struct Alone;  // more members of the one worker of a job

  Trainer(const JobProto& job, const WorkerPlace& place, Replica* replica, SliceUpdates* updates,
          std::unique_ptr<Alone> alone, std::vector<KernelChoice>* choices);
  bool Train(int64_t step, ParamExchange* exchange, BatchGate* gate);
  bool TrainBatches(ParamExchange* exchange, BatchGate* gate);
  void SkipBatch();
  std::string WhyHostUpdates() const;
  void ScaleLosses();
  void Open(GradientReduction* reduction);
  void OpenNets();
  std::unique_ptr<DeviceUpdates> PlaceUpdates();
  std::unique_ptr<StepPath> OpenOnHost();
  std::unique_ptr<StepPath> OpenLayersOnDevice();
  std::unique_ptr<StepPath> OpenOnDevice();

  std::unique_ptr<Alone> alone_;
  WorkerModel model_;
  Context exchange_ctx_;  // the model's on the host
  Replica* const replica_;
  SliceUpdates* const updates_;
  const std::string why_host_updates_;  // "": the device updates the values
  std::optional<LossScale> loss_scale_;
  JobMemory memory_;
  std::optional<GroupExchange> exchange_;  // none before Allocate
  MetricSums metrics_;
  std::unique_ptr<StepPath> path_;                  // null before Allocate
  std::optional<AccumulatedExchange> accumulated_;  // none if a step has one batch
  OutputFiles outputs_;
};

}  // namespace singa
