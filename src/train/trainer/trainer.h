// A Trainer is one worker. It has its part of the train net, the nets of other phases on the same
// params, the algorithm and the exchange. One thread uses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread/activity_mark.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "train/apply/replica_updates.h"
#include "train/device/device_updates.h"
#include "train/device/step_graph.h"
#include "train/device/worker_device.h"
#include "train/reduce/group_exchange.h"
#include "train/reduce/group_memory.h"
#include "train/reduce/metric_sums.h"
#include "train/reduce/piece_plan.h"
#include "train/trainer/evaluator.h"
#include "train/trainer/job_memory.h"

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
  int worker() const { return place_.worker; }  // number in its group
  int workers() const { return place_.workers; }
  // Returns the mark of its activity. Other threads may read it.
  ActivityMark& mark() { return mark_; }
  // Return whether a device has the values and updates them, and, for people, why none does; "":
  // one does.
  bool updates_on_device() const { return updates_on_device_; }
  std::string WhyHostUpdates() const;
  Context& ctx() { return ctx_; }
  ParamTable& params() { return params_; }
  Net& net() { return net_; }
  // Returns the exchange to which the algorithm hands gradients.
  ParamExchange& exchange();
  GroupExchange& group_exchange() { return *exchange_; }
  SliceUpdates& updates() { return *updates_; }
  Replica& replica() { return *replica_; }
  int evaluation_threads() const { return evaluation_ctx_.threads; }
  Evaluator* evaluator(Phase phase) { return phase == kVal ? validate_.get() : test_.get(); }

  // Allocates everything and opens the stores, for the one worker of a job.
  void Allocate();
  // Does what Allocate does for a worker of a group. `reduction` adds up the group's gradients, and
  // must outlive it. `shared`: memory that the group shares with other processes, which must
  // outlive it, or null. `lead`: a worker of this process that was allocated before, whose trained
  // values this one uses too, or null.
  void AllocateIn(GradientReduction* reduction, const GroupMemory* shared, Trainer* lead);
  // Notes that values and states on the host were set: a device computes with them from now on.
  void MarkDeviceStale();
  // Copies all that a device has changed to the host's values and states.
  void Download();
  // Brings the values on the device up to date with all updates, before an evaluator runs.
  void Upload();
  // Returns the memory of the trained params' values, in the order of the group's slices.
  std::vector<float*> TrainedValues();
  const std::vector<Param*>& trained() const { return trained_; }
  const SliceTable& table() const { return table_; }
  // Returns the rows of one batch of the group.
  int64_t batch() const { return net_.batch(); }

  // Computes batch `step` and applies its updates. A device may still work on it afterwards: a
  // later call then throws its errors.
  void TrainStep(int64_t step);
  // Does this through an exchange that hands on to exchange().
  void TrainStep(int64_t step, ParamExchange* exchange);
  // Ends its part in the group's sums, so that no worker waits for another. Called in the worker's
  // thread.
  void LeaveGroup();
  // Ends the files of the train net's output layers, after the last step.
  void Finish();
  // Blocks until a device has done all steps. Throws the device's errors.
  void AwaitDevice();
  // Returns the sums of its metrics over the steps since the last Reset, without skipped ones.
  // Waits for a device, which has the sums until then.
  MetricSums& metrics();
  // Returns SliceUpdates::GradientNorm of the last step; none if clip_norm is not set. Waits for a
  // device.
  std::optional<double> GradientNorm(int64_t step);
  // Returns null if losses are not scaled.
  LossScale* loss_scale() { return loss_scale_ ? &*loss_scale_ : nullptr; }
  // Returns the milliseconds that input layers waited for records since the last call.
  double TakeWaitMs();

  // Returns the next record of each reader of the train net, by layer.
  std::vector<std::pair<std::string, int64_t>> ReaderPositions() const;
  void SeekReaders(const std::vector<std::pair<std::string, int64_t>>& positions);
  // Moves the readers on by `steps` batches. Returns false if a layer does not tell its Stride.
  bool SkipBatches(int64_t steps);

 private:
  struct Alone;  // more members of the one worker of a job

  Trainer(const JobProto& job, const WorkerPlace& place, Replica* replica, SliceUpdates* updates,
          std::unique_ptr<Alone> alone, std::vector<KernelChoice>* choices);
  void PlanEvaluators();
  void FindTrained();
  std::vector<const Net*> Nets() const;  // of all phases
  void CountMemory();
  void CountDevice();
  MemoryUse ParamMemory() const;
  void ScaleLosses();
  void PlaceOnDevice();
  bool InPieces(const NetNode& node, const Param& param) const;
  PiecePlan piece_plan() const;
  void AllocateValues(const Trainer* lead);
  void BindTo(const GroupMemory& shared);
  void Open(GradientReduction* reduction);

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
  std::optional<GroupExchange> exchange_;        // none before Allocate
  std::unique_ptr<DeviceParams> device_params_;  // null: the CPU
  bool updates_on_device_ = false;
  std::optional<LossScale> loss_scale_;
  DeviceUpdates* own_updates_ = nullptr;  // device_params_, if the device updates them
  std::unique_ptr<StepGraph> graph_;      // null: each step hands out its work itself
  std::vector<Param*> trained_;           // params that get gradients, in the order of params_
  std::vector<bool> in_pieces_;           // of each trained param
  SliceTable table_;                      // of all trained params
  JobMemory memory_;
  MetricSums metrics_;
  OutputFiles outputs_;
};

// Returns whether the job's settings ask for the phase kTest or kVal.
bool RunsPhase(const JobProto& job, Phase phase);

}  // namespace singa
