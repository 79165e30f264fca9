// JobPart: which part of a job this process is: its rank, its worker groups and cores, and how the
// job synchronises. Any thread may use it.
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
  int cores() const { return cores_; }  // as its ProcessPlace
  int processes() const { return topology().processes(); }
  const Topology& topology() const { return plan_.topology; }
  // Rank 0: how the job synchronises. Where the mode is kAllReduce, all others are to have come
  // before rank 0 makes its worker groups: it asks whether their GPUs can. The others are told.
  const SyncPlan& plan() const { return plan_; }
  // The plan where GPUs cannot add gradients up, and why; `told`: by process 0.
  SyncPlan Plan(const std::string& why_not_gpus, std::optional<SyncMode> told = {}) const;
  // Worker groups that have workers here, and which.
  const std::map<int, Range>& groups() const { return groups_; }

 private:
  const JobProto job_;
  const int rank_, cores_;
  const bool one_host_;
  const int processes_before_;  // on this host
  const SyncPlan plan_;
  std::map<int, Range> groups_;
};

}  // namespace singa
