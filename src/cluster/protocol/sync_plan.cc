#include "cluster/protocol/sync_plan.h"

#include <set>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr const char* kOwnGpus = "if each worker has a GPU of its own";

Topology TopologyOf(const ClusterProto& cluster, bool in_one_process) {
  try {
    const Topology stanza = in_one_process ? Topology(cluster).InOneProcess() : Topology(cluster);
    // Without GPUs the servers do an all-reduce: one of them adds a slice up and tells all. Workers
    // of one process need none, unless the job asks for them.
    const AllReduceProto& conf = cluster.all_reduce();
    const bool adds_up = cluster.has_all_reduce() &&
                         (stanza.processes() > 1 || conf.backend() == AllReduceProto::kServers);
    return adds_up ? stanza.WithServersOfFirstGroup() : stanza;
  } catch (const ConfigError& error) {
    throw error.Under("cluster");
  }
}

// Returns whether cluster.all_reduce leaves the choice of `backend` open, or names it. kNccl
// without GPUs leaves it open.
bool May(const ClusterProto& cluster, AllReduceProto::Backend backend) {
  const AllReduceProto::Backend named = cluster.all_reduce().backend();
  return named == backend || named == AllReduceProto::kAnyBackend || named == AllReduceProto::kNccl;
}

// Returns why the groups of one process have servers, not shared values; "": they have no servers.
std::string WhyServers(const ClusterProto& cluster) {
  if (cluster.all_reduce().backend() == AllReduceProto::kServers)
    return "cluster.all_reduce.backend is kServers";
  if (cluster.has_all_reduce()) return "";
  if (cluster.nserver_groups() > 1)
    return StrCat("cluster.nserver_groups is ", cluster.nserver_groups());
  if (!cluster.share_memory()) return "cluster.share_memory is false";
  if (cluster.has_user_consistency() && cluster.nworker_groups() > 1)
    return "cluster.user_consistency is set";
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
  const bool gpus_wanted = one_group && job.gpu_size() > 0 && May(cluster, AllReduceProto::kNccl);
  if (gpus_wanted && facts.why_not_gpus.empty()) {
    plan->mode = SyncMode::kAllReduce;
    plan->why = kOwnGpus;
    return;
  }
  plan->mode = SyncMode::kThreads;
  plan->why = gpus_wanted ? facts.why_not_gpus : "one process";
}

std::string WhyServersOfProcesses(const ClusterProto& cluster, const SyncFacts& facts,
                                  const Topology& topology, bool one_group_in_all) {
  if (cluster.all_reduce().backend() == AllReduceProto::kServers)
    return "cluster.all_reduce.backend is kServers";
  if (topology.worker_groups() > 1) return "several worker groups";
  if (cluster.has_all_reduce() && !facts.why_not_mpi.empty())
    return "not by MPI: " + facts.why_not_mpi;
  if (cluster.has_all_reduce()) return "cluster.all_reduce without GPUs";
  if (!cluster.share_memory()) return "cluster.share_memory is false";
  return one_group_in_all ? "several hosts" : "some processes have only servers";
}

// MPI adds up if it is named, or if mpirun has started the job and nothing is named.
bool ByMpi(const ClusterProto& cluster, const SyncFacts& facts) {
  const AllReduceProto::Backend named = cluster.all_reduce().backend();
  return named == AllReduceProto::kMpi || (named == AllReduceProto::kAnyBackend &&
                                           cluster.has_all_reduce() && !facts.why_mpi.empty());
}

// Returns why the processes need values and updaters of their own; "": they do not.
std::string WhyRankSums(const ClusterProto& cluster, const SyncFacts& facts) {
  const AllReduceProto& conf = cluster.all_reduce();
  if (conf.backend() == AllReduceProto::kMpi) return "cluster.all_reduce.backend is kMpi";
  if (ByMpi(cluster, facts)) return facts.why_mpi;
  if (!NeedsRankSums(conf)) return "";
  return "cluster.all_reduce.compression is " +
         AllReduceProto::Compression_Name(conf.compression());
}

constexpr const char* kBackendField = "cluster.all_reduce.backend";

// Throws ConfigError if the backend that is named cannot do what the job asks for.
void CheckBackend(const JobProto& job) {
  const AllReduceProto& conf = job.cluster().all_reduce();
  if (conf.backend() == AllReduceProto::kNccl && job.gpu_size() == 0)
    throw ConfigError(kBackendField, "kNccl needs a GPU for each worker, and `gpu` names none");
  if (conf.backend() == AllReduceProto::kServers && NeedsRankSums(conf))
    throw ConfigError(kBackendField, StrCat("kServers does not support ",
                                            AllReduceProto::Compression_Name(conf.compression()),
                                            ": leave backend out"));
}

// Throws ConfigError if the backend that is named does not reach all processes. With all_reduce
// each process has workers.
void CheckReach(const ClusterProto& cluster, const SyncFacts& facts) {
  const AllReduceProto::Backend named = cluster.all_reduce().backend();
  if (named != AllReduceProto::kMemory && named != AllReduceProto::kMpi) return;
  const auto fail = [named](const std::string& text) {
    throw ConfigError(kBackendField, StrCat(AllReduceProto::Backend_Name(named), " needs ", text));
  };
  if (cluster.nworker_groups() > 1)
    fail(StrCat("one worker group; nworker_groups is ", cluster.nworker_groups()));
  if (named == AllReduceProto::kMpi) return;
  if (!cluster.share_memory()) fail("share_memory: true; it is false");
  const bool knows_hosts = facts.rank == 0;
  if (!facts.one_host && knows_hosts)
    fail("all processes on one host; they are on several: leave backend out");
}

void PlanProcesses(const JobProto& job, const SyncFacts& facts, SyncPlan* plan) {
  const ClusterProto& cluster = job.cluster();
  const Topology& topology = plan->topology;
  // Servers with processes of their own would have nothing to do if the workers shared memory.
  const bool one_group_in_all =
      topology.worker_groups() == 1 && topology.ProcessesOf(0).size() == topology.processes();
  const bool shares_host = facts.one_host && cluster.share_memory() && one_group_in_all &&
                           May(cluster, AllReduceProto::kMemory);
  const bool gpus_wanted = job.gpu_size() > 0 && one_group_in_all &&
                           (cluster.has_all_reduce() || shares_host) &&
                           May(cluster, AllReduceProto::kNccl);
  CheckReach(cluster, facts);
  const bool by_mpi = one_group_in_all && ByMpi(cluster, facts);
  const std::string why_ranks = one_group_in_all ? WhyRankSums(cluster, facts) : "";
  if (gpus_wanted && facts.why_not_gpus.empty()) {
    plan->mode = SyncMode::kAllReduce;
    plan->why = kOwnGpus;
  } else if (shares_host) {
    plan->mode = SyncMode::kHostMemory;
    plan->why = gpus_wanted ? facts.why_not_gpus : "one group on one host";
  } else if (!why_ranks.empty()) {
    plan->mode = SyncMode::kRankSums;
    plan->by_mpi = by_mpi;
    plan->why = why_ranks;
  } else {
    plan->mode = SyncMode::kServers;
    plan->why = gpus_wanted ? facts.why_not_gpus
                            : WhyServersOfProcesses(cluster, facts, topology, one_group_in_all);
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

bool NeedsRankSums(const AllReduceProto& conf) {
  return conf.compression() == AllReduceProto::kPartial ||
         conf.compression() == AllReduceProto::kPowerSGD;
}

SyncPlan PlanSync(const JobProto& job, const SyncFacts& facts) {
  CheckBackend(job);
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
    plan.by_mpi = plan.by_mpi && plan.mode == SyncMode::kRankSums;
    plan.why = "process 0 says so";
  }
  return plan;
}

std::string WayOf(const SyncPlan& plan) {
  if (plan.mode == SyncMode::kAllReduce) return "NCCL";
  return plan.by_mpi ? "MPI" : ToString(plan.mode);
}

std::string TextOf(const SyncPlan& plan) {
  const std::string way = WayOf(plan);
  return plan.mode == SyncMode::kAllReduce ? way : StrCat(way, " (", plan.why, ")");
}

std::string WhyNccl(const AllReduceProto& conf) {
  return conf.backend() == AllReduceProto::kNccl ? "cluster.all_reduce.backend is kNccl"
                                                 : "each worker has a GPU of its own";
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
    case SyncMode::kRankSums:
      return "messages between processes";
    case SyncMode::kAllReduce:
      return "all-reduce";
  }
  return "";
}

}  // namespace singa
