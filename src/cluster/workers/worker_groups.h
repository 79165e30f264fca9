// WorkerGroups runs all worker groups of this process, each at its own pace. The groups share one
// copy of the values (Niu et al., "Hogwild!", 2011), or each has its own copy, which servers keep
// in sync. One group alone is plain synchronous training. In a job of several processes, rank 0
// leads them all.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cluster/liveness/watchdog.h"
#include "cluster/process/job_process.h"
#include "cluster/protocol/process_share.h"
#include "cluster/workers/host_memory.h"
#include "cluster/workers/step_gate.h"
#include "cluster/workers/worker_team.h"
#include "singa/proto/rows.pb.h"
#include "train/apply/replica_updates.h"

namespace singa {

// Finds the memory that rank 0 shares. Throws DeviceError, or PeerError if `told` is invalid.
std::unique_ptr<HostMemory> FindMemory(const ControlMessage::Memory& told);

class WorkerGroups final : private GroupEvents {
 public:
  // `threads`: of each worker; `process`: null in a job of one process. The host adds gradients up.
  // Throws ConfigError relative to the JobProto.
  WorkerGroups(const JobProto& job, int threads, JobProcess* process = nullptr)
      : WorkerGroups(job, threads, process, nullptr) {}
  // `shared`: the memory that rank 0 shares with this process, or null. `gpus`: the group of the
  // GPUs of all workers of the job, which have their own values and add gradients up themselves;
  // none: the host adds up.
  WorkerGroups(const JobProto& job, int threads, JobProcess* process,
               std::unique_ptr<HostMemory> shared, const std::optional<GpuGroupId>& gpus = {});
  ~WorkerGroups() override;
  WorkerGroups(const WorkerGroups&) = delete;
  WorkerGroups& operator=(const WorkerGroups&) = delete;

  // Return the number of groups of the job, and the groups that are here.
  int size() const { return job_groups_; }
  std::vector<int> here() const;
  int FirstProcess(int group) const;  // the first that has workers of `group`
  // Returns the steps that each group has done, as far as this process knows.
  std::vector<int64_t> steps() const;
  WorkerTeam& team(int group) { return *teams_.at(group); }
  // Returns the first worker here. At rank 0 it has the evaluation nets.
  Trainer& lead() { return teams_.begin()->second->lead(); }
  StepGate& gate() { return gate_; }
  // Sets the steps of each group in all, in a job that counts epochs. Higher counts of other
  // processes are refused.
  void SetMostSteps(int64_t steps) { most_steps_ = steps; }
  // Returns how often other processes told impossible steps of their groups.
  int64_t refused() const { return refused_; }
  // Return whether all workers here keep and update the values on GPUs, and, for people, why one
  // does not; "": all do.
  bool UpdatesOnGpus() { return WhyHostUpdates().empty(); }
  std::string WhyHostUpdates();
  JobMemory memory() const;
  // Returns false in a process of servers alone, whose team only tells which params there are.
  bool HasWorkers() const { return !process_ || !process_->part().groups().empty(); }
  // Returns null in the job's one process.
  JobProcess* process() { return process_; }
  // Sets, at rank 0, the function that takes rows of metrics of other processes.
  void OnRows(std::function<void(const ControlMessage::Row&)> take) {
    const std::lock_guard lock(rows_mutex_);
    take_row_ = std::move(take);
  }
  // Sets, at rank 0, the function to call when a Hold has begun, so that rows are written before a
  // checkpoint.
  void OnHold(std::function<void()> held) { held_ = std::move(held); }

  // Allocates all memory. Throws DeviceError if the machine has too little, or Error with
  // kExitConfig if rank 0 shares other params than these.
  void Allocate();
  // Tells the others, at rank 0, where the shared memory is. REQUIRES: all have met.
  void TellMemory();
  // Starts a watchdog, whose thread calls `stalled` with a line for people when a worker or server
  // stands still. Only the end of the process helps then. REQUIRES: Allocate was called.
  void WatchStalls(std::function<void(const std::string&)> stalled);
  // Connects the groups and fills the servers before the first step. REQUIRES: the lead's values
  // are set, and the gate knows each group's steps.
  void Start();
  // Is called instead of Start in a process that takes the place of a lost one while the job goes
  // on. Its groups begin where they were lost.
  void TakePlace();
  // Allows groups that take all steps together (ClusterProto.user_consistency) the steps before
  // `steps`.
  void Grant(int64_t steps);
  bool together() const { return together_; }
  // Makes groups here that wait, now or later, throw `error`: the job has failed.
  void Fail(const std::exception_ptr& error);
  // Ends the waits of groups here, since the job has ended.
  void SendHome();
  // Returns whether this is the first process of `group`, which is here. The first process decides
  // when a step begins, and tells the job how far the group is.
  bool Leads(int group) const {
    return !process_ || FirstProcess(group) == process_->part().rank();
  }
  // Allows the other processes of the group the steps before `steps`.
  void AllowSteps(int group, int64_t steps);
  // Note that a group has done `steps` steps, or trains no more, and tell other processes that may
  // wait for it.
  void NoteSteps(int group, int64_t steps);
  void Leave(int group);

  // While a Hold lives, no group but the first is in a step or begins one. Holds may be nested.
  class Hold {
   public:
    explicit Hold(WorkerGroups* groups) : groups_(*groups) { groups_.HoldOthers(); }
    ~Hold() { groups_.Go(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    WorkerGroups& groups_;
  };
  // Brings all that was trained so far into the lead's values and the replica. REQUIRES: a Hold
  // lives, and the first group has done `steps` steps.
  void Collect(int64_t steps);
  // Gives the lead its own group's values back, if Collect replaced them. Called before the first
  // group's next step.
  void BringOwnValuesBack();
  // Returns the states of the other processes of the job for a checkpoint. REQUIRES: a Hold lives.
  std::vector<ProcessState> CollectStates();
  // Returns the states of the other processes of `group` for a checkpoint. REQUIRES: this process
  // leads the group, and a Hold lives.
  std::vector<ProcessState> AwaitStates(int group);

  // Sets *sums to the metrics of `group` over all its processes, and returns the shares of all, in
  // order. Each process of the group calls this with its own share.
  std::vector<ProcessShare> AddMetricsUp(int group, MetricSums* sums, ProcessShare own);
  // Returns the staleness of the updates of `group`, which is here, since the last call; none if
  // groups share their values.
  StalenessCounts TakeStaleness(int group);
  // Return "2 groups of 3 workers", of all processes; Text has "2 processes with" before it.
  std::string WorkersText() const;
  std::string Text() const;
  // Returns the number of steps of the groups here that were dropped.
  int64_t CountSkips();
  // Returns the number of bad records of training stores that workers of `group` have skipped.
  int64_t CountBadRecords(int group);

 private:
  static constexpr int64_t kMostSteps = int64_t{1} << 62;

  void OnSteps(int group, int64_t steps) override;
  void OnHeld(int rank, int64_t group, int64_t steps);
  void OnLeft(int group) override { gate_.Leave(group); }
  void OnAllowed(int group, int64_t steps) override;
  void OnReplaced(int group, int64_t steps) override { gate_.SetSteps(group, steps); }
  void OnRow(const ControlMessage::Row& row) override;
  void OnFailure() override;

  const ProgressDeadline& deadline() const {
    return process_ ? process_->deadline() : own_deadline_;
  }
  void AllocateShared();
  void Connect();
  void HoldOthers();
  void Go();
  void KeepOwnValues();
  void BroadcastValues();
  void MakeTeam(const JobProto& job, WorkerPlace place, int workers);
  bool shares_host() const { return plan_.mode == SyncMode::kHostMemory; }

  JobProcess* const process_;
  const int stall_timeout_;             // seconds; 0: no watchdog
  ProgressDeadline own_deadline_;       // the deadline of a job of one process
  const int job_groups_, job_workers_;  // workers of each group
  const bool together_;                 // groups take all steps together, as servers allow
  const bool paced_;                    // some group may have to wait for another
  const SyncPlan plan_;
  std::unique_ptr<HostMemory> host_memory_;
  std::optional<GroupMemory> group_memory_;  // in host_memory_
  Replica replica_;
  std::unique_ptr<ServedCluster> own_;                  // of a job of one process
  ServedCluster* const served_;                         // null: groups share their values
  std::vector<std::unique_ptr<ReplicaUpdates>> local_;  // by group, without servers
  std::map<int, std::unique_ptr<WorkerTeam>> teams_;
  StepGate gate_;
  std::atomic<int64_t> most_steps_;  // most steps that a group may have done
  std::atomic<int64_t> refused_{0};
  int holds_ = 0;                               // number that live
  bool collected_ = false;                      // Collect was called since the first of them
  std::vector<std::vector<float>> own_values_;  // the lead's own, while it has the model's
  std::mutex rows_mutex_;                       // guards take_row_
  std::function<void(const ControlMessage::Row&)> take_row_;
  std::function<void()> held_;
  std::optional<Watchdog> watch_;  // last: it looks at teams and servers
};

}  // namespace singa
