// WorkerGroups: all worker groups of this process, each at its own pace. They train values that
// they share (Niu et al., "Hogwild!", 2011), or have values of their own and servers that keep them
// together; with one group it is plain synchronous training. Rank 0, where the job has several
// processes, leads them all.
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

// The memory that rank 0 shares. Throws DeviceError; PeerError where it cannot be that.
std::unique_ptr<HostMemory> FindMemory(const ControlMessage::Memory& told);

class WorkerGroups final : private GroupEvents {
 public:
  // `threads`: of each worker; `process`, where not null: the job has others, too. Gradients are
  // added up by the host. Throws ConfigError relative to the JobProto.
  WorkerGroups(const JobProto& job, int threads, JobProcess* process = nullptr)
      : WorkerGroups(job, threads, process, nullptr) {}
  // `shared`: the memory that rank 0 shares with this process, or null. `gpus`: the group of the
  // GPUs of all workers of the job, which have values of their own and add up themselves; none: the
  // host does.
  WorkerGroups(const JobProto& job, int threads, JobProcess* process,
               std::unique_ptr<HostMemory> shared, const std::optional<GpuGroupId>& gpus = {});
  ~WorkerGroups() override;
  WorkerGroups(const WorkerGroups&) = delete;
  WorkerGroups& operator=(const WorkerGroups&) = delete;

  // Groups of the job; which of them are here.
  int size() const { return job_groups_; }
  std::vector<int> here() const;
  int FirstProcess(int group) const;  // that has workers of it
  // That each group has done, as far as this process knows.
  std::vector<int64_t> steps() const;
  WorkerTeam& team(int group) { return *teams_.at(group); }
  // The first worker here; of rank 0 it has the evaluation nets.
  Trainer& lead() { return teams_.begin()->second->lead(); }
  StepGate& gate() { return gate_; }
  // Where the job counts in epochs: steps of each group in all. No process is believed more.
  void SetMostSteps(int64_t steps) { most_steps_ = steps; }
  // What other processes have said of their groups' steps and cannot be.
  int64_t refused() const { return refused_; }
  // Whether all workers here keep and update the values on GPUs; for people, why one does not, "":
  // all do.
  bool UpdatesOnGpus() { return WhyHostUpdates().empty(); }
  std::string WhyHostUpdates();
  JobMemory memory() const;
  // False: a process of servers alone; its team only says which params there are.
  bool HasWorkers() const { return !process_ || !process_->part().groups().empty(); }
  // Null: the job's one process.
  JobProcess* process() { return process_; }
  // Rank 0: what becomes of rows of metrics that other processes send.
  void OnRows(std::function<void(const ControlMessage::Row&)> take) {
    const std::lock_guard lock(rows_mutex_);
    take_row_ = std::move(take);
  }
  // Rank 0: what to do when a Hold has begun. A checkpoint's rows are to be there before it.
  void OnHold(std::function<void()> held) { held_ = std::move(held); }

  // Throws DeviceError where the machine has too little memory; kExitConfig where rank 0 shares
  // other params than these.
  void Allocate();
  // Rank 0, when all have met: where the others find what it shares.
  void TellMemory();
  // From here on who stands still is found, and `stalled` told of it, on a thread of its own: a
  // line for people. Nothing but the end of the process helps then. After Allocate.
  void WatchStalls(std::function<void(const std::string&)> stalled);
  // After the lead's values were set, and the gate knows each group's steps: before the first step.
  void Start();
  // Instead, where this process takes the place of one that was lost, and the job has gone on: its
  // groups begin where they were lost.
  void TakePlace();
  // Where groups take all steps together (ClusterProto.user_consistency): those before `steps` may
  // be taken.
  void Grant(int64_t steps);
  bool together() const { return together_; }
  // Groups here that wait, or will, throw `error`: the job has failed.
  void Fail(const std::exception_ptr& error);
  // Ends the waits of groups here: the job has ended, as it should or not.
  void SendHome();
  // Whether this is the first process of `group`, which is here: it says when a step begins, and
  // tells the job how far the group is.
  bool Leads(int group) const {
    return !process_ || FirstProcess(group) == process_->part().rank();
  }
  // Others of the group take the steps before `steps`, too.
  void AllowSteps(int group, int64_t steps);
  // A group has done so many steps; trains no more.
  void NoteSteps(int group, int64_t steps);
  void Leave(int group);

  // The first group's: no other is in a step, or begins one, while it lives. One may live within
  // another.
  class Hold {
   public:
    explicit Hold(WorkerGroups* groups) : groups_(*groups) { groups_.HoldOthers(); }
    ~Hold() { groups_.Go(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    WorkerGroups& groups_;
  };
  // During a Hold, when the first group has done `steps`: makes the lead's values, and the replica,
  // all that was trained so far.
  void Collect(int64_t steps);
  // Before the first group's next step: where it has values of its own, the lead has them again.
  void BringOwnValuesBack();
  // During a Hold: what the other processes of the job give for a checkpoint.
  std::vector<ProcessState> CollectStates();
  // Likewise what the others of `group`, which this one leads, have of it.
  std::vector<ProcessState> AwaitStates(int group);

  // *sums: the metrics of `group` over its processes, each of which calls this with its share;
  // returns the shares of all, in order.
  std::vector<ProcessShare> AddMetricsUp(int group, MetricSums* sums, ProcessShare own);
  // Of the updates of `group`, which is here, since the last call; none where it shares its values.
  StalenessCounts TakeStaleness(int group);
  // "2 groups of 3 workers", of all processes; with "2 processes with" before it.
  std::string WorkersText() const;
  std::string Text() const;
  // Steps of the groups here that were dropped.
  int64_t CountSkips();
  // Bad records of training stores that were skipped, as far as workers of `group` have met them.
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
  const int stall_timeout_;             // seconds; 0: for ever
  ProgressDeadline own_deadline_;       // of a job of one process
  const int job_groups_, job_workers_;  // workers of each group
  const bool together_;                 // by what servers let groups do
  const bool paced_;                    // some group may have to wait for another
  const SyncPlan plan_;
  std::unique_ptr<HostMemory> host_memory_;
  std::optional<GroupMemory> group_memory_;  // in host_memory_
  Replica replica_;
  std::unique_ptr<ServedCluster> own_;                  // of a job of one process
  ServedCluster* const served_;                         // null: groups share their values
  std::vector<std::unique_ptr<ReplicaUpdates>> local_;  // of each group, without servers
  std::map<int, std::unique_ptr<WorkerTeam>> teams_;
  StepGate gate_;
  std::atomic<int64_t> most_steps_;  // that a group may have done
  std::atomic<int64_t> refused_{0};
  int holds_ = 0;                               // that live
  bool collected_ = false;                      // since the first of them
  std::vector<std::vector<float>> own_values_;  // the lead's, while it has the model's
  std::mutex rows_mutex_;                       // guards take_row_
  std::function<void(const ControlMessage::Row&)> take_row_;
  std::function<void()> held_;
  std::optional<Watchdog> watch_;  // last: it looks at teams and servers
};

}  // namespace singa
