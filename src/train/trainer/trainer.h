// A Trainer is one worker. It has its part of the train net, the nets of other phases on the same
// params, the algorithm and the exchange. One thread uses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread/activity_mark.h"
#include "nn/net_readers.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "train/apply/replica_updates.h"
#include "train/device/device_updates.h"
#include "train/device/worker_device.h"
#include "train/reduce/group_exchange.h"
#include "train/reduce/group_memory.h"
#include "train/reduce/metric_sums.h"
#include "train/reduce/piece_plan.h"
#include "train/trainer/evaluator.h"
#include "train/trainer/job_memory.h"
#include "train/trainer/step_path.h"
#include "train/trainer/trained_params.h"
#include "train/trainer/worker_place.h"

namespace singa {

class Trainer {
 public:
  // Makes the one worker of a job. Builds and plans the train net, and the nets of test and
  // validation if the job runs them. Allocates no tensor. Throws ConfigError relative to the
  // JobProto. `choices`, if not null, gets a line for each kernel that a layer of the train net
  // chose.
  Trainer(const JobProto& job, int threads, std::vector<KernelChoice>* choices = nullptr);
  // Makes one of several workers. The first of the first group has the nets of other phases.
  // Checkpoints take values and updater states from `replica`. All must outlive it.
  Trainer(const JobProto& job, const WorkerPlace& place, Replica* replica, SliceUpdates* updates);
  ~Trainer();

  JobMemory memory() const { return memory_; }
  const WorkerPlace& place() const { return place_; }
  // Returns the mark of its activity. Other threads may read it.
  ActivityMark& mark() { return mark_; }
  // Returns, for people, why no device has the values and updates them; "": one does.
  const std::string& why_host_updates() const { return why_host_updates_; }
  Context& ctx() { return ctx_; }
  ParamTable& params() { return params_; }
  const TrainedParams& trained() const { return trained_; }
  Net& net() { return net_; }
  NetReaders readers() { return NetReaders(&net_); }
  Replica& replica() { return *replica_; }
  SliceUpdates& updates() { return *updates_; }
  GroupExchange& group_exchange() { return *exchange_; }
  // Returns null if losses are not scaled.
  LossScale* loss_scale() { return loss_scale_ ? &*loss_scale_ : nullptr; }
  // Returns what leads its steps. REQUIRES: it was allocated.
  StepPath& path() { return *path_; }
  int evaluation_threads() const { return evaluation_ctx_.threads; }
  Evaluator* evaluator(Phase phase) { return phase == kVal ? validate_.get() : test_.get(); }

  // Allocates everything and opens the stores, for the one worker of a job.
  void Allocate();
  // Does what Allocate does for a worker of a group. `reduction` adds up the group's gradients, and
  // must outlive it. `shared`: memory that the group shares with other processes, which must
  // outlive it, or null. `lead`: a worker of this process that was allocated before, whose trained
  // values this one uses too, or null.
  void AllocateIn(GradientReduction* reduction, const GroupMemory* shared, Trainer* lead);

  // Computes batch `step` and applies its updates. A device may still work on it afterwards: a
  // later call then throws its errors.
  void TrainStep(int64_t step);
  // Does this through an exchange that hands on to path().exchange().
  void TrainStep(int64_t step, ParamExchange* exchange);
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
  void PlanEvaluators();
  bool InPieces(const NetNode& node, const Param& param) const;
  PiecePlan piece_plan() const;
  TrainedParams FindTrained();
  std::string WhyHostUpdates() const;
  void ScaleLosses();
  std::vector<const Net*> Nets() const;  // of all phases
  JobMemory Count() const;
  void AllocateValues(const Trainer* lead);
  void BindTo(const GroupMemory& shared);
  void Open(GradientReduction* reduction);
  void OpenNets();
  std::unique_ptr<DeviceUpdates> PlaceUpdates();
  std::unique_ptr<StepPath> OpenOnHost();
  std::unique_ptr<StepPath> OpenLayersOnDevice();
  std::unique_ptr<StepPath> OpenOnDevice();

  std::unique_ptr<Alone> alone_;
  const JobProto job_;
  const WorkerPlace place_;
  ActivityMark mark_;
  StepState state_;
  Context ctx_;
  std::unique_ptr<WorkerDevice> device_;  // null: the CPU
  Context exchange_ctx_;                  // ctx_ on the host
  Context evaluation_ctx_;  // uses the threads of all workers of the group, which wait meanwhile
  ParamTable params_;
  std::unique_ptr<Algorithm> algorithm_;
  Net net_;
  NetMemory memory_of_nets_;  // of all phases
  std::unique_ptr<Evaluator> test_, validate_;
  Replica* const replica_;
  SliceUpdates* const updates_;
  TrainedParams trained_;
  std::string why_host_updates_;  // "": the device updates the values
  std::optional<LossScale> loss_scale_;
  JobMemory memory_;
  std::optional<GroupExchange> exchange_;  // none before Allocate
  MetricSums metrics_;
  std::unique_ptr<StepPath> path_;  // null before Allocate
  OutputFiles outputs_;
};

// Returns whether the job's settings ask for the phase kTest or kVal.
bool RunsPhase(const JobProto& job, Phase phase);

}  // namespace singa
