// A WorkerModel is what one worker computes with: the context of its threads and device, the
// params, its part of the train net, and the nets of other phases on the same params. It knows
// nothing of updates. One thread uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread/activity_mark.h"
#include "nn/net_readers.h"
#include "nn/plan/net_memory.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "train/device/worker_device.h"
#include "train/reduce/group_memory.h"
#include "train/reduce/trained_params.h"
#include "train/trainer/evaluator.h"
#include "train/trainer/job_memory.h"
#include "train/trainer/worker_place.h"

namespace singa {

class WorkerModel {
 public:
  // Builds and plans the train net. The first worker of the first group also gets the nets of test
  // and validation, if the job runs them. Allocates no tensor. Throws ConfigError relative to the
  // JobProto. `choices`, if not null, gets a line for each kernel that a layer of the train net
  // chose.
  WorkerModel(const JobProto& job, const WorkerPlace& place, std::vector<KernelChoice>* choices);
  WorkerModel(const WorkerModel&) = delete;
  WorkerModel& operator=(const WorkerModel&) = delete;

  const JobProto& job() const { return job_; }
  const WorkerPlace& place() const { return place_; }
  // Returns the mark of the worker's activity. Other threads may read it.
  ActivityMark& mark() { return mark_; }
  Context& ctx() { return ctx_; }
  // Returns null if the worker computes on the CPU.
  WorkerDevice* device() const { return device_.get(); }
  Algorithm& algorithm() const { return *algorithm_; }
  ParamTable& params() { return params_; }  // whole
  const TrainedParams& trained() const { return trained_; }
  Net& net() { return net_; }  // the train net
  const Net& net() const { return net_; }
  NetReaders readers() { return NetReaders(&net_); }
  // Returns the rows of a step of the group, of all its batches.
  int64_t samples_per_step() const { return net_.batch() * job_.accumulate_steps(); }
  // Returns null if this worker does not run `phase`, kTest or kVal.
  Evaluator* evaluator(Phase phase) const { return phase == kVal ? validate_.get() : test_.get(); }
  int evaluation_threads() const { return evaluation_ctx_.threads; }
  std::vector<const Net*> nets() const;  // of all phases

  // Counts the memory of this worker. `states`: tensors of updater state of each param.
  // `updates_on_device`: the device has values, gradients and states.
  JobMemory Count(int64_t states, bool updates_on_device) const;
  // Allocates the values that have no memory yet. `shared`, if not null: memory of the group's
  // values and gradients. `lead`, if not null: a model whose trained values this one uses too.
  void AllocateValues(const GroupMemory* shared, const WorkerModel* lead);
  // Allocates the memory of the nets and opens their stores. REQUIRES: the params have memory,
  // also on the device.
  void Open();

 private:
  void PlanEvaluators();
  std::vector<Evaluator*> evaluators() const;
  bool InPieces(const NetNode& node, const Param& param) const;
  TrainedParams FindTrained() const;
  void BindTo(const GroupMemory& shared);
  void BindParts();

  const JobProto job_;
  const WorkerPlace place_;
  ActivityMark mark_;
  StepState state_;
  Context ctx_;
  std::unique_ptr<WorkerDevice> device_;  // null: the CPU
  Context evaluation_ctx_;  // uses the threads of all workers of the group, which wait meanwhile
  ParamTable params_;
  // The params of the train net if the workers divide some of them: views of params_. Else empty.
  ParamTable parts_;
  std::unique_ptr<Algorithm> algorithm_;
  Net net_;
  NetMemory memory_of_nets_;  // of all phases
  std::unique_ptr<Evaluator> test_, validate_;
  TrainedParams trained_;
};

// Returns whether the job's settings ask for the phase kTest or kVal.
bool RunsPhase(const JobProto& job, Phase phase);

}  // namespace singa
