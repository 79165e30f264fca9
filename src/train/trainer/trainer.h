// Trainer: one worker: its part of the train net, the nets of other phases on the same params, the
// algorithm and the exchange. Used by one thread.
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
  // The one worker of a job. Builds and plans the nets of training and of whichever of test and
  // validation the job runs. Allocates no tensor. Throws ConfigError relative to the JobProto.
  // `choices`, where not null, gets a line for each kernel that a layer of the train net chose.
  Trainer(const JobProto& job, int threads, std::vector<KernelChoice>* choices = nullptr);
  // One of several; the first of the first group has the nets of other phases. `replica`
  // is where checkpoints have values and updater states from. All outlive it.
  Trainer(const JobProto& job, const WorkerPlace& place, Replica* replica, SliceUpdates* updates);
  ~Trainer();

  JobMemory memory() const { return memory_; }
  int worker() const { return place_.worker; }  // of its group
  int workers() const { return place_.workers; }
  // What it does.
  ActivityMark& mark() { return mark_; }
  // Whether a device has the values, and updates them; for people, why none does, "": one does.
  bool updates_on_device() const { return updates_on_device_; }
  std::string WhyHostUpdates() const;
  Context& ctx() { return ctx_; }
  ParamTable& params() { return params_; }
  Net& net() { return net_; }
  // What the algorithm hands gradients to.
  ParamExchange& exchange();
  GroupExchange& group_exchange() { return *exchange_; }
  SliceUpdates& updates() { return *updates_; }
  Replica& replica() { return *replica_; }
  int evaluation_threads() const { return evaluation_ctx_.threads; }
  Evaluator* evaluator(Phase phase) { return phase == kVal ? validate_.get() : test_.get(); }

  // Allocates everything and opens the stores, for the one worker of a job.
  void Allocate();
  // Allocate, for a worker of a group. `reduction` adds up the group's gradients and outlives it.
  // `shared`: memory that the group shares with other processes, which outlives it, or null.
  // `lead`: a worker of this process that was allocated before, whose trained values this one uses
  // too, or null.
  void AllocateIn(GradientReduction* reduction, const GroupMemory* shared, Trainer* lead);
  // Values and states on the host were set: a device computes with them from now on.
  void MarkDeviceStale();
  // What a device has changed, to the host's values and states.
  void Download();
  // Before an evaluator runs: values on the device are those of all updates.
  void Upload();
  // Where the values of the params that train are, in the order of the group's slices.
  std::vector<float*> TrainedValues();
  const std::vector<Param*>& trained() const { return trained_; }
  const SliceTable& table() const { return table_; }
  // Rows of one batch of the group.
  int64_t batch() const { return net_.batch(); }

  // Computes batch `step` and applies its updates. A device may still be at it: then what goes
  // wrong is thrown by one of the calls that follow.
  void TrainStep(int64_t step);
  // The same through an exchange that hands on to exchange().
  void TrainStep(int64_t step, ParamExchange* exchange);
  // Ends what others of its group could wait for, or it for them. In the worker's thread.
  void LeaveGroup();
  // After the last step: ends what output layers of the train net write.
  void Finish();
  // Until a device has done all steps. Throws what went wrong in them.
  void AwaitDevice();
  // Sums of its metrics over the steps since the last Reset, skipped ones left out. Waits for a
  // device, which has them until then.
  MetricSums& metrics();
  // As SliceUpdates has it for the last step; nothing: clip_norm is not set. Waits for a device.
  std::optional<double> GradientNorm(int64_t step);
  // Null: losses are not scaled.
  LossScale* loss_scale() { return loss_scale_ ? &*loss_scale_ : nullptr; }
  // Milliseconds that input layers waited for records since the last call.
  double TakeWaitMs();

  // Which record each reader of the train net goes on with, by layer.
  std::vector<std::pair<std::string, int64_t>> ReaderPositions() const;
  void SeekReaders(const std::vector<std::pair<std::string, int64_t>>& positions);
  // To the batch of so many steps later. False: a layer does not say where that is.
  bool SkipBatches(int64_t steps);

 private:
  struct Alone;  // what the one worker of a job needs besides

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
  Context exchange_ctx_;                  // on the host
  Context evaluation_ctx_;  // on the threads of all workers of the group, which wait meanwhile
  ParamTable params_;
  std::unique_ptr<Algorithm> algorithm_;
  Net net_;
  NetMemory memory_of_nets_;  // of all phases
  std::unique_ptr<Evaluator> test_, validate_;
  Replica* const replica_;
  SliceUpdates* const updates_;
  std::optional<GroupExchange> exchange_;        // once the trainer is allocated
  std::unique_ptr<DeviceParams> device_params_;  // null: the CPU
  bool updates_on_device_ = false;
  std::optional<LossScale> loss_scale_;
  DeviceUpdates* own_updates_ = nullptr;  // device_params_, where the device updates them
  std::unique_ptr<StepGraph> graph_;      // null: each step hands out its work itself
  std::vector<Param*> trained_;           // that get gradients, in the order of params_
  std::vector<bool> in_pieces_;           // of each
  SliceTable table_;                      // of all of them
  JobMemory memory_;
  MetricSums metrics_;
  OutputFiles outputs_;
};

// Whether the job's settings ask for the phase kTest or kVal.
bool RunsPhase(const JobProto& job, Phase phase);

}  // namespace singa
