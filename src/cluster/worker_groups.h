// WorkerGroups: all worker groups of this process, each at its own pace. They train values that
// they share (Niu et al., "Hogwild!", 2011), or have values of their own and servers that keep them
// together; with one group it is plain synchronous training.
#pragma once

#include <memory>
#include <vector>

#include "cluster/job_process.h"
#include "cluster/process_share.h"
#include "cluster/step_gate.h"
#include "cluster/worker_team.h"
#include "train/local_updates.h"
#include "train/worker_rows.h"

namespace singa {

// Whether the worker groups of a job of one process have servers, not values that they share.
bool HasServers(const ClusterProto& cluster);

class WorkerGroups {
 public:
  // `threads`: of each worker; `process`, where not null: the job has others, too. Throws ConfigError
  // relative to the JobProto.
  WorkerGroups(const JobProto& job, int threads, JobProcess* process);
  ~WorkerGroups();
  WorkerGroups(const WorkerGroups&) = delete;
  WorkerGroups& operator=(const WorkerGroups&) = delete;

  int size() const { return static_cast<int>(teams_.size()); }
  WorkerTeam& team(int group) { return *teams_[group]; }
  // The first worker of the first group, which has evaluation nets.
  Trainer& lead() { return teams_[0]->lead(); }
  StepGate& gate() { return gate_; }
  JobMemory memory() const;
  // That each group has done.
  std::vector<int64_t> steps() const;

  // False: a process of servers alone; its teams only say which params there are.
  bool HasWorkers() const { return !process_ || process_->workers().size() > 0; }
  // Null: the job's one process.
  JobProcess* process() { return process_; }

  // Throws DeviceError where the machine has too little memory.
  void Allocate();
  // After the lead's values were set, and the gate knows each group's steps: before the first step.
  void Start();
  // While no other group is in a step, and the first has done `steps`: makes the lead's values, and
  // the replica, all that was trained so far.
  void Collect(int64_t steps);
  // What the other processes of the job give for a checkpoint after that many steps. Their metrics
  // are added to this one's here, so that a resumed run adds up in the same order.
  std::vector<WorkerRows> CollectRows(int64_t steps);
  // Adds the metrics of `group` up over its processes, each of which calls this with its share;
  // returns the shares of all, by rank.
  std::vector<ProcessShare> AddMetricsUp(int group, ProcessShare own);
  // "2 groups of 3 workers".
  std::string Text() const;
  // Steps of all groups that were dropped.
  int64_t CountSkips();
  // Bad records of training stores that were skipped, as far as workers of `group` have met them.
  int64_t CountBadRecords(int group);

 private:
  void SpreadValues();
  void MakeTeam(const JobProto& job, WorkerPlace place, int workers);

  JobProcess* const process_;
  Replica replica_;
  std::unique_ptr<ServedCluster> own_;                // of a job of one process
  ServedCluster* const served_;                       // null: groups share their values
  std::vector<std::unique_ptr<LocalUpdates>> local_;  // of each group, without servers
  std::vector<std::unique_ptr<WorkerTeam>> teams_;
  StepGate gate_;
};

}  // namespace singa
