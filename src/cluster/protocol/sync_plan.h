// SyncPlan says how the gradients of a job become updates, and which process has which workers and
// servers. PlanSync alone decides this; all others read the plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/protocol/topology.h"
#include "singa/proto/job.pb.h"

namespace singa {

enum class SyncMode {
  kAlone,       // one worker updates its own values
  kThreads,     // the workers of one process share values and update them in memory
  kHostMemory,  // one group, in several processes of one host that share memory
  kServers,     // servers have the values; workers send gradients and get values
  kRankSums,    // one group's processes have the values and add gradients up among themselves
  kAllReduce,   // GPUs have the values and add the gradients up among themselves
};

// The facts besides the job that a plan depends on.
struct SyncFacts {
  bool in_one_process = false;  // this process runs the whole job, whatever its `cluster` says
  bool one_host = true;         // all processes are on one host
  int rank = 0;                 // of this process
  // Why Open MPI can be used, such as that its mpirun has started the job; "": it cannot. Then
  // why_not_mpi may say why its library cannot be used.
  std::string why_mpi = {}, why_not_mpi = {};
  int processes_before = 0;  // processes of the job on this host, before this one, with workers
  // The reason why the workers' GPUs cannot add gradients up, such as a missing library; "": they
  // can, if the job names GPUs.
  std::string why_not_gpus = {};
  // The mode that process 0, which alone knows all facts, has told this process.
  std::optional<SyncMode> told = {};
};

struct SyncPlan {
  SyncMode mode = SyncMode::kAlone;
  // A short reason for people, such as "cluster.share_memory is false".
  std::string why;
  // A topology of several processes always has servers. They start only if the mode is kServers.
  Topology topology;
  // The numbers of JobProto.gpu for the workers of this process, in order. Workers beyond its end
  // have no GPU. The numbers are for the workers of one host; a host with more workers begins them
  // again.
  std::vector<int> gpus;
  // The reason, by these numbers, why the workers of this process cannot add gradients up by GPUs
  // of their own; "": they can. The mode kAllReduce needs "" in all processes, which only they
  // know.
  std::string why_not_own_gpus;
  bool by_mpi = false;  // in kRankSums: by MPI, not by messages of the job
  // cluster.all_reduce is set. Workers that share a GPU are an error then, not only slower.
  bool all_reduce_is_set = false;
};

// Throws ConfigError relative to the JobProto.
SyncPlan PlanSync(const JobProto& job, const SyncFacts& facts = {});

// Returns whether servers cannot do what the compression asks for.
bool NeedsRankSums(const AllReduceProto& conf);

// The mode's name for people: "alone", "threads", "shared host memory", "servers",
// "messages between processes", "all-reduce".
const char* ToString(SyncMode mode);
// Returns the way of the gradients for people: "MPI".
std::string WayOf(const SyncPlan& plan);
// Returns it with its reason: "MPI (Open MPI has started the job)". NCCL alone has none, since a
// plan does not know yet whether the GPUs can add up.
std::string TextOf(const SyncPlan& plan);
// Returns the reason of kAllReduce in a job whose GPUs do add up.
std::string WhyNccl(const AllReduceProto& conf);

}  // namespace singa
