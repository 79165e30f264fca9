// SyncBackend is the interface to the values and updates of a process's worker groups. One class
// implements each SyncMode: ThreadsBackend (kAlone and kThreads), HostMemoryBackend,
// ServersBackend, RanksBackend, and GpuBackend (kAllReduce).
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/client/client.h"
#include "cluster/liveness/stall_detector.h"
#include "cluster/process/job_process.h"
#include "cluster/workers/host_memory.h"
#include "comm/collective/link_probe.h"
#include "io/checkpoint/safetensors.h"
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
  // Returns what adds up over the processes of `group`; null in a job of one process. REQUIRES: the
  // group has workers here.
  Collective* Between(int group) const {
    return process ? &process->cluster().between(group) : nullptr;
  }
};

// The parts that a backend gives to the team of one group.
struct TeamSync {
  SliceUpdates* updates = nullptr;  // takes the group's gradients
  Collective* between =
      nullptr;  // adds up over the group's processes; null: no others, or they share memory
  WorkerLink link = {};                 // to workers that share no memory with those here
  bool shares_host = false;             // as in WorkerPlace
  std::optional<GpuMember> gpus = {};   // as in WorkerPlace, without the member
  std::vector<GpuSender> senders = {};  // as in WorkerPlace, by worker here; empty: none
};

// Bytes that a process has sent and received beside the messages of its stub.
struct LinkBytes {
  int64_t sent = 0, received = 0;
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

  // Connects the teams. Group g of the job has done steps[g] steps. REQUIRES: their values are set.
  virtual void Connect(WorkerTeams*, const std::vector<int64_t>&) {}
  // Continues with the state that RestoreState took. REQUIRES: Connect was called.
  virtual void UseRestoredState() {}
  // Gives the first values to all groups of the job, where they do not have them. REQUIRES: all
  // processes have connected.
  virtual void Fill() {}
  // Gets the values of `group`, which a lost process had. Returns the group's next step. REQUIRES:
  // the mode is kServers.
  virtual int64_t TakeOver(int group);
  // Returns the model by slice, as it is when each group g has done steps[g] steps. Empty: the
  // replica is the model. REQUIRES: no group is in a step.
  virtual std::vector<SliceState> Gather(const std::vector<int64_t>&) { return {}; }
  // Puts the replica's own values back, if Gather's model has replaced them and training goes on
  // with its own. Rank 0 calls it before its first group's next step.
  virtual void BringOwnBack() {}
  // Does the part of a process other than rank 0 in Gather, when rank 0 says so. `versions`: by
  // server group, the steps that its slices hold before.
  virtual void Exchange(const std::vector<int64_t>&) {}
  // Adds what a checkpoint needs of this process beside values and the workers' state. REQUIRES: no
  // group here is in a step.
  virtual void SaveState(std::vector<StoredTensor>*) {}
  // Takes what SaveState wrote, of all processes. Called before Start.
  virtual void RestoreState(const Safetensors&) {}
  // Returns the staleness of the group's updates since the last call.
  virtual StalenessCounts TakeStaleness(int) { return {}; }
  // Returns the milliseconds, of all workers of `group` here together, that they waited for other
  // processes since the last call, except for sums over a group's workers.
  virtual double TakeWaitMs(int) { return 0; }
  // Returns the milliseconds, of all workers of `group` here together, that they encoded gradients
  // since the last call.
  virtual double TakeCodingMs(int) { return 0; }
  // Returns the milliseconds that another thread than the workers' computed a shorter form of
  // gradients, since the last call.
  virtual double TakeWorkMs() { return 0; }
  virtual LinkBytes bytes() const { return {}; }
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
};

// Makes the backend of the plan's mode. `shared`: the memory that rank 0 shares with this process,
// or null. `gpus`: the group of the GPUs of all workers of the job; set if the mode is kAllReduce.
std::unique_ptr<SyncBackend> MakeSyncBackend(const SyncSetup& setup,
                                             std::unique_ptr<HostMemory> shared,
                                             const std::optional<GpuGroupId>& gpus);

}  // namespace singa
