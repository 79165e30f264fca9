// JobPart describes this process's part of a job: its rank, its worker groups and cores, and how
// the job synchronises. Any thread may use it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cluster/process/stub_options.h"
#include "cluster/protocol/sync_plan.h"

namespace singa {

class JobPart {
 public:
  // Throws ConfigError relative to the JobProto.
  JobPart(const JobProto& job, const ProcessPlace& place);

  const JobProto& job() const { return job_; }
  int rank() const { return rank_; }
  int cores() const { return cores_; }         // as in its ProcessPlace
  bool one_host() const { return one_host_; }  // all processes are on one host
  // Returns whether all processes are on this host, as far as this process knows.
  bool all_here() const { return all_here_; }
  int processes() const { return topology().processes(); }
  const Topology& topology() const { return plan_.topology; }
  // Returns how the job synchronises, by the facts of this process; rank 0 tells the others its
  // mode. If the mode is kAllReduce, all processes must have come before rank 0 makes its worker
  // groups, since it asks about their GPUs.
  const SyncPlan& plan() const { return plan_; }
  // Returns the plan again, now that it is known whether GPUs can add gradients up. `why_not_gpus`:
  // why not; "": they can. `told`: the mode that process 0 told.
  SyncPlan Plan(const std::string& why_not_gpus, std::optional<SyncMode> told = {}) const;
  // Returns the worker groups that have workers here, with the range of these workers.
  const std::map<int, Range>& groups() const { return groups_; }

 private:
  const JobProto job_;
  const int rank_, cores_;
  const bool one_host_, all_here_;
  const std::string why_mpi_, why_not_mpi_;
  const int processes_before_;  // processes on this host before this one
  const SyncPlan plan_;
  std::map<int, Range> groups_;
};

}  // namespace singa
