// WorkerGroups runs all worker groups of this process, each at its own pace. One group alone is
// plain synchronous training. In a job of several processes, rank 0 leads them all. A SyncBackend
// has the values, and JobSteps says how far the groups are.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread/clock.h"
#include "cluster/liveness/watchdog.h"
#include "cluster/process/job_process.h"
#include "cluster/workers/gradient_releases.h"
#include "cluster/workers/job_steps.h"
#include "cluster/workers/sync_backend.h"
#include "cluster/workers/worker_teams.h"

namespace singa {

struct GroupCalls {
  // Takes, at rank 0, a row of metrics of another process, on the stub's thread. Must not throw.
  std::function<void(const ControlMessage::Row&)> take_row = [](const ControlMessage::Row&) {};
  // Takes the error of a worker in a step, as TeamSetup::failed; may be empty.
  std::function<void(const std::exception_ptr&)> failed = {};
};

// The things besides the job that worker groups are made with.
struct GroupOptions {
  // The memory that rank 0 shares with this process, or null.
  std::unique_ptr<HostMemory> shared = nullptr;
  // The group of the GPUs of all workers of the job, which have their own values and add gradients
  // up themselves; none: the host adds up.
  std::optional<GpuGroupId> gpus = {};
  GroupCalls calls = {};
};

class WorkerGroups final : private GroupEvents {
 public:
  // `threads`: of each worker; `process`: null in a job of one process. Throws ConfigError relative
  // to the JobProto.
  WorkerGroups(const JobProto& job, int threads, JobProcess* process = nullptr,
               GroupOptions options = {});
  ~WorkerGroups() override;
  WorkerGroups(const WorkerGroups&) = delete;
  WorkerGroups& operator=(const WorkerGroups&) = delete;

  int size() const { return steps_.groups(); }  // groups of the job
  WorkerTeams& teams() { return teams_; }
  // These three are as in WorkerTeams.
  std::vector<int> here() const { return teams_.here(); }
  WorkerTeam& team(int group) { return teams_.team(group); }
  Trainer& lead() { return teams_.lead(); }
  JobSteps& steps() { return steps_; }
  SyncBackend& backend() { return *backend_; }
  // Returns null in the job's one process.
  JobProcess* process() { return process_; }
  const SyncPlan& plan() const { return plan_; }
  JobMemory memory();
  // Returns how long an exchange of whole gradients took at the start, if they are compressed
  // between processes; else 0.
  const SumTimes& whole_exchange() const { return whole_exchange_; }
  // Lets an object that lives as long as this measure when gradients are complete, until
  // EndReleases. Its owner calls EndStep. REQUIRES: whole_exchange() is known.
  GradientReleases* BeginReleases();
  void EndReleases() { lead().updates().set_events(nullptr); }

  // Allocates all memory. Throws DeviceError if the machine has too little, or Error with
  // kExitConfig if rank 0 shares other params than these.
  void Allocate();
  // Starts a watchdog, whose thread calls `stalled` with a line for people when a worker or server
  // stands still. After `stalled` the process has to end. REQUIRES: Allocate was called.
  void WatchStalls(std::function<void(const std::string&)> stalled);
  // Connects the groups and fills the servers before the first step. `steps`: of each group in the
  // whole job. REQUIRES: the lead's values are set, and the gate knows how many steps each group
  // has done.
  void Start(int64_t steps);
  // Is called instead of Start in a process that takes the place of a lost one while the job goes
  // on. Its groups begin where they were lost.
  void TakePlace(int64_t steps);
  // Makes groups here that wait, now or later, throw `error`: the job has failed.
  void Fail(const std::exception_ptr& error);
  // Ends the waits of groups here, since the job has ended.
  void EndWaits();

 private:
  void OnSteps(int group, int64_t steps) override { steps_.OnSteps(group, steps); }
  void OnLeft(int group) override { steps_.gate().Leave(group); }
  void OnAllowed(int group, int64_t steps) override { steps_.OnAllowed(group, steps); }
  void OnReplaced(int group, int64_t steps) override { steps_.gate().SetSteps(group, steps); }
  void OnRow(const ControlMessage::Row& row) override { calls_.take_row(row); }
  void OnFailure() override;

  const ProgressDeadline* deadline() const {
    return process_ ? &process_->deadline() : &own_deadline_;
  }
  SyncSetup setup(int threads) { return {job_, plan_, process_, deadline(), &replica_, threads}; }
  void Connect();
  void MeasureExchange();

  const JobProto job_;
  JobProcess* const process_;
  ProgressDeadline own_deadline_;  // the deadline of a job of one process
  const SyncPlan plan_;
  const GroupCalls calls_;
  SumTimes whole_exchange_;
  const SteadyClock clock_;
  std::optional<GradientReleases> releases_;  // the backend's updates call it
  Replica replica_;
  const std::unique_ptr<SyncBackend> backend_;
  WorkerTeams teams_;
  JobSteps steps_;
  std::optional<Watchdog> watch_;  // last: it looks at teams and servers
};

}  // namespace singa
