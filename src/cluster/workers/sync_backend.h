// SyncBackend is the interface to the values and updates of a process's worker groups. One class
// implements each SyncMode: ThreadsBackend (kAlone and kThreads), HostMemoryBackend,
// ServersBackend, RanksBackend, and GpuBackend (kAllReduce).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/liveness/stall_detector.h"
#include "cluster/process/job_process.h"
#include "cluster/protocol/staleness_counts.h"
#include "cluster/workers/host_memory.h"
#include "cluster/workers/model_state.h"
#include "comm/collective/link_probe.h"
#include "train/apply/replica.h"
#include "train/trainer/trainer.h"

namespace singa {

class WorkerTeams;

// The things that backends and teams are made of. All of them outlive both.
struct SyncSetup {
  const JobProto& job;
  const SyncPlan& plan;
  JobProcess* process;  // null in a job of one process
  const ProgressDeadline* deadline;
  Replica* replica;
  int threads = 1;  // of each worker

  // Returns false in a process of servers alone.
  bool HasWorkers() const { return !process || !process->part().groups().empty(); }
  // Returns whether this process has the first workers of the job.
  bool HasFirstWorker() const {
    return !process || process->part().rank() == plan.topology.ProcessesOf(0).first;
  }
  // Returns what adds up over the processes of `group`; null in a job of one process. REQUIRES: the
  // group has workers here.
  Collective* Between(int group) const {
    return process ? &process->cluster().between(group) : nullptr;
  }
  // Does `own`, the part of rank 0 in ModelState::Gather, while all other processes do theirs by
  // ModelState::Exchange(versions).
  void ExchangeInAll(const std::vector<int64_t>& versions, const std::function<void()>& own) const;
};

// The parts that a backend gives to the team of one group.
struct TeamSync {
  SliceUpdates* updates = nullptr;  // takes the group's gradients
  // Adds up over the group's processes; null: there are no others, or they share memory.
  Collective* between = nullptr;
  WorkerLink link = {};                 // to workers that share no memory with those here
  bool shares_host = false;             // as in WorkerPlace
  std::optional<GpuMember> gpus = {};   // as in WorkerPlace, without the member
  std::vector<GpuSender> senders = {};  // as in WorkerPlace, by worker here; empty: none
};

// The exchange of gradients of one worker group, as this process sees it. All numbers but the bytes
// count since the last call of TakeStats.
struct SyncStats {
  // Milliseconds, summed over the workers of the group here, in which they waited for other
  // processes (sums over a group's workers excepted), and in which they encoded gradients.
  double wait_ms = 0, coding_ms = 0;
  double work_ms = 0;  // milliseconds in which a thread of no worker compressed gradients
  StalenessCounts staleness = {};  // of the group's updates
  // Bytes of the process since its start, beside the messages of its stub.
  int64_t bytes_sent = 0, bytes_received = 0;
};

class SyncBackend {
 public:
  virtual ~SyncBackend() = default;

  // Returns the parts for the team of `group`. Called once for each team of this process.
  virtual TeamSync SyncOf(int group) = 0;
  // Adds the bytes that the backend needs beside those of the teams.
  virtual void AddMemory(WorkerTeams*, JobMemory*) const {}
  // Allocates the memory of the teams and of the backend. REQUIRES: this process has workers.
  // Throws as WorkerGroups::Allocate does.
  virtual void Allocate(WorkerTeams* teams) = 0;
  // Tells the other processes, at rank 0, where the shared memory is, if any. REQUIRES: Allocate
  // was called, and all have met.
  virtual void TellMemory() {}
  // Adds the marks of the servers here, and of other work that is no worker's. `where`: text about
  // this process, which ends their names.
  virtual void Watch(const std::string&, StallDetector*) const {}

  // Connects the teams. Group g of the job has done steps[g] steps, and does `total` in the whole
  // job. REQUIRES: their values are set.
  virtual void Connect(WorkerTeams*, const std::vector<int64_t>& /*steps*/, int64_t /*total*/) {}
  // Gives the first values to all groups of the job, where they do not have them. REQUIRES: all
  // processes have connected.
  virtual void Fill() {}
  // Gets the values of `group`, which a lost process had. Returns the group's next step. REQUIRES:
  // the mode is kServers.
  virtual int64_t TakeOver(int group);
  // Returns the model of the job, and what a checkpoint needs beside it.
  virtual ModelState& model_state() { return replica_is_model_; }
  // Returns the stats of `group`, which has workers here.
  virtual SyncStats TakeStats(int /*group*/) { return {}; }
  // Measures sums of `floats` numbers over the processes, on the way that gradients take. Returns
  // zeros if there is no such way. The processes of the job's one group call it at the same time,
  // between steps.
  virtual SumTimes MeasureSum(int64_t) { return {}; }

  // Blocks until nothing of the steps so far is under way between processes. Called at the end of
  // training. Throws the error of the job, if it has failed.
  virtual void Settle() {}
  // Makes workers that wait within a step for other processes throw Stopped. Any thread may call
  // it.
  virtual void Stop(WorkerTeams*) {}
  // Makes threads that wait for values throw `error`, in a job of one process. Any thread may call
  // it.
  virtual void Fail(const std::exception_ptr&) {}
  // Takes no more messages, so that the teams' memory may be freed.
  virtual void Close() {}

 private:
  ModelState replica_is_model_;
};

// Makes the backend of the plan's mode. `shared`: the memory that rank 0 shares with this process,
// or null. `gpus`: the group of the GPUs of all workers of the job; set if the mode is kAllReduce.
std::unique_ptr<SyncBackend> MakeSyncBackend(const SyncSetup& setup,
                                             std::unique_ptr<HostMemory> shared,
                                             const std::optional<GpuGroupId>& gpus);

}  // namespace singa
