// WorkerTeam is the workers of one group in one process: their trainers, and the threads that run
// them. Member 0 is the caller's thread and leads: it does work that is done once. In the job's
// first group it also has the evaluation nets.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/thread/mutex.h"
#include "cluster/workers/team_metrics.h"
#include "cluster/workers/team_regions.h"
#include "cluster/workers/team_threads.h"
#include "train/state/step_undo.h"
#include "train/trainer/trainer.h"

namespace singa {

// The things that a team is made with. All that pointers lead to must outlive the team.
struct TeamSetup {
  WorkerPlace place;      // the first worker's; `gpus`, if set, names the group that GPUs join
  int workers = 1;        // number of the team's workers
  std::vector<int> gpus;  // as in SyncPlan
  std::vector<GpuSender> senders = {};  // as in TeamSync
  Replica* replica;                     // checkpoints take values from it
  SliceUpdates* updates;                // takes the gradients
  // Adds up over the group's processes; null: the group has no other processes to reach.
  Collective* between;
  WorkerLink link;                   // to workers that share no memory with the team
  const ProgressDeadline* deadline;  // limits waits for other workers
  // Is called with a worker's error in a step, while others may still be in the step; may be empty.
  std::function<void(const std::exception_ptr&)> failed;
};

class WorkerTeam {
 public:
  // Throws ConfigError relative to the JobProto.
  WorkerTeam(const JobProto& job, const TeamSetup& setup);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  int size() const { return static_cast<int>(trainers_.size()); }
  // Returns these workers' rows of each batch of the group.
  int64_t rows() const;
  Trainer& lead() { return *trainers_[0]; }
  std::vector<Trainer*> trainers();
  // REQUIRES: Allocate was called.
  TeamMetrics metrics() { return TeamMetrics(trainers(), &reduction_->group()); }
  JobMemory memory() const;

  // Allocates everything. `lead`: a trainer of another team, whose memory of values this team
  // shares; or null.
  // `shared`, if not null: the memory that the group shares with other processes of this host.
  void Allocate(Trainer* lead = nullptr, const GroupMemory* shared = nullptr);
  // Copies the values of `lead`, which were set, to all workers that have copies.
  void BroadcastValues(Trainer* lead);
  // Makes each worker compute its part of batch `step`; returns when all workers have handed
  // out their updates. Throws the first worker's error; the team is of no use then. Returns false
  // if the step was abandoned, as `stop` asked between its batches: all is as before the step.
  // `stop` may be empty, and is called only if may_abandon().
  bool TrainStep(int64_t step, const std::function<bool()>& stop = {});
  // Returns whether workers can abandon a step (Trainer::may_abandon).
  bool may_abandon() const;
  // Does the same for a measurement: train(i) must train the step by trainers()[i].
  void TrainStep(const std::function<void(size_t)>& train);
  // Waits for the records of all workers for the next step (nn/input/await_records.h).
  bool AwaitRecords(const std::function<bool()>& stop);
  // Blocks until devices have done all steps. Throws the devices' errors.
  void AwaitDevices();
  // Makes workers that wait within a step throw Stopped. Any thread may call it.
  void Stop();

 private:
  void MakeReduction(const GroupMemory* shared);

  const WorkerPlace place_;  // the place of the first worker
  SliceUpdates* const updates_;
  Collective* const between_;
  const WorkerLink link_;
  const ProgressDeadline* const deadline_;
  std::atomic<bool> stopped_{false};
  Mutex stop_mutex_;                              // one of Stop and MakeReduction at a time
  std::unique_ptr<GradientReduction> reduction_;  // null: nothing is allocated yet
  std::optional<TeamRegions> regions_;            // none: no bridges, or GPUs exchange
  const std::vector<std::unique_ptr<Trainer>> trainers_;
  std::vector<StepUndo> undo_;  // by worker
  TeamThreads threads_;         // last: they use all of the above
};

}  // namespace singa
