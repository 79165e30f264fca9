#include "cluster/protocol/sync_plan.h"

#include <set>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr const char* kOwnGpus = "if each worker has a GPU of its own";

Topology TopologyOf(const ClusterProto& cluster, bool in_one_process) {
  try {
    if (in_one_process) return Topology(cluster).InOneProcess();
    const Topology stanza(cluster);
    // Without GPUs the servers do an all-reduce: one of them adds a slice up and tells all.
    const bool adds_up = cluster.has_all_reduce() && stanza.processes() > 1;
    return adds_up ? stanza.WithServersOfFirstGroup() : stanza;
  } catch (const ConfigError& error) {
    throw error.Under("cluster");
  }
}

// Returns why the groups of one process have servers, not shared values; "": they have no servers.
std::string WhyServers(const ClusterProto& cluster) {
  if (cluster.has_all_reduce()) return "";
  if (cluster.nserver_groups() > 1)
    return StrCat("cluster.nserver_groups is ", cluster.nserver_groups());
  if (!cluster.share_memory()) return "cluster.share_memory is false";
  if (cluster.has_user_consistency() && cluster.nworker_groups() > 1)
    return "cluster.user_consistency says when groups go on";
  return "";
}

void PlanOneProcess(const JobProto& job, const SyncFacts& facts, SyncPlan* plan) {
  const ClusterProto& cluster = job.cluster();
  plan->why = WhyServers(cluster);
  if (!plan->why.empty()) {
    plan->mode = SyncMode::kServers;
    return;
  }
  const bool one_group = cluster.nworker_groups() == 1;
  if (one_group && cluster.nworkers_per_group() == 1) {
    plan->mode = SyncMode::kAlone;
    plan->why = "one worker";
    return;
  }
  const bool gpus_wanted = one_group && job.gpu_size() > 0;
  if (gpus_wanted && facts.why_not_gpus.empty()) {
    plan->mode = SyncMode::kAllReduce;
    plan->why = kOwnGpus;
    return;
  }
  plan->mode = SyncMode::kThreads;
  plan->why = gpus_wanted ? facts.why_not_gpus : "one process";
}

void PlanProcesses(const JobProto& job, const SyncFacts& facts, SyncPlan* plan) {
  const ClusterProto& cluster = job.cluster();
  const Topology& topology = plan->topology;
  // Servers with processes of their own would have nothing to do if the workers shared memory.
  const bool one_group_in_all =
      topology.worker_groups() == 1 && topology.ProcessesOf(0).size() == topology.processes();
  const bool shares_host = facts.one_host && cluster.share_memory() && one_group_in_all;
  const bool gpus_wanted =
      job.gpu_size() > 0 && one_group_in_all && (cluster.has_all_reduce() || shares_host);
  if (gpus_wanted && facts.why_not_gpus.empty()) {
    plan->mode = SyncMode::kAllReduce;
    plan->why = kOwnGpus;
  } else if (shares_host) {
    plan->mode = SyncMode::kHostMemory;
    plan->why = gpus_wanted ? facts.why_not_gpus : "one group on one host";
  } else {
    plan->mode = SyncMode::kServers;
    plan->why = gpus_wanted                    ? facts.why_not_gpus
                : cluster.has_all_reduce()     ? "cluster.all_reduce without GPUs"
                : !cluster.share_memory()      ? "cluster.share_memory is false"
                : topology.worker_groups() > 1 ? "several worker groups"
                : !one_group_in_all            ? "processes with servers alone"
                                               : "several hosts";
  }
}

std::vector<int> GpusHere(const JobProto& job, int processes_before) {
  std::vector<int> gpus(job.gpu().begin(), job.gpu().end());
  if (gpus.empty()) return gpus;
  const int64_t before = int64_t{processes_before} * job.cluster().nworkers_per_procs();
  gpus.erase(gpus.begin(), gpus.begin() + before % std::ssize(gpus));
  return gpus;
}

// `workers`: of this process.
std::string WhyNotOwnGpus(const std::vector<int>& gpus, int workers) {
  if (workers == 0) return "it has no workers";
  if (std::ssize(gpus) < workers) return "a worker has no GPU";
  const std::set<int> different(gpus.begin(), gpus.begin() + workers);
  return std::ssize(different) < workers ? "workers share a GPU" : "";
}

}  // namespace

SyncPlan PlanSync(const JobProto& job, const SyncFacts& facts) {
  SyncPlan plan{.mode = SyncMode::kAlone,
                .why = "",
                .topology = TopologyOf(job.cluster(), facts.in_one_process),
                .gpus = GpusHere(job, facts.processes_before),
                .why_not_own_gpus = "",
                .all_reduce_is_set = job.cluster().has_all_reduce()};
  plan.why_not_own_gpus = WhyNotOwnGpus(plan.gpus, plan.topology.WorkersIn(facts.rank, 0));
  if (plan.topology.processes() == 1)
    PlanOneProcess(job, facts, &plan);
  else
    PlanProcesses(job, facts, &plan);
  if (facts.told) {
    plan.mode = *facts.told;
    plan.why = "process 0 says so";
  }
  return plan;
}

const char* ToString(SyncMode mode) {
  switch (mode) {
    case SyncMode::kAlone:
      return "alone";
    case SyncMode::kThreads:
      return "threads";
    case SyncMode::kHostMemory:
      return "shared host memory";
    case SyncMode::kServers:
      return "servers";
    case SyncMode::kAllReduce:
      return "all-reduce";
  }
  return "";
}

}  // namespace singa
