#include "driver/job/divided_job.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/system/process_memory.h"
#include "base/thread/core_binding.h"
#include "cluster/process/job_process.h"
#include "driver/conf/check_units.h"
#include "driver/job/end_process.h"
#include "driver/plan/kept_predictions.h"
#include "driver/plan/kept_times.h"
#include "driver/plan/plan_texts.h"
#include "driver/workspace/workspace.h"
#include "io/file/text_file.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "train/trainer/job_memory.h"

namespace singa {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 22;  // of the file

// Returns the choice of an earlier run; none: there is no file, or it is damaged, or the workers
// cannot divide the net so.
std::optional<AutoPartition> PartitionOfWorkspace(const JobProto& job, const std::string& path) {
  const std::optional<std::string> text = ReadText(path, kMostBytes);
  std::optional<AutoPartition> partition = text ? AutoPartitionOf(*text) : std::nullopt;
  PlanCluster cluster;
  cluster.workers = job.cluster().nworkers_per_group();
  if (!partition || partition->workers != cluster.workers) return {};
  std::map<Layout, std::set<std::string>> possible;
  for (const auto& [name, layout] : partition->division) {
    if (layout != kWholeLayout && layout.rows * layout.units != cluster.workers) return {};
    if (!possible.contains(layout)) possible[layout] = LayersFor(layout, job, cluster);
    if (!possible[layout].contains(name)) return {};
  }
  return partition;
}

// Returns how many of the plan's hosts are processes of one host, which share its cores and memory.
int HostsAlike(const PlanCluster& cluster, const RunOptions& options) {
  return options.process && options.process->part().one_host() ? cluster.hosts : 1;
}

// Sets which processes have servers, as those of hosts.
void SetServers(const Topology& topology, PlanCluster* cluster) {
  std::set<int> with;
  const int group = topology.ServerGroupOf(0);
  for (int id = 0; id < topology.servers_per_group(); ++id)
    with.insert(topology.ProcessOfServer({group, id}));
  const Range processes = topology.ProcessesOf(0);
  const auto beside = std::ranges::count_if(with, [&](int i) { return processes.Has(i); });
  cluster->servers = beside == processes.size() ? 0 : static_cast<int>(with.size());
  cluster->servers_apart = beside == 0;
}

PlanCluster ClusterOf(const JobProto& job, const RunOptions& options) {
  PlanCluster cluster;
  cluster.workers = job.cluster().nworkers_per_group();
  cluster.cores = CoresOfJob();
  const SyncMode mode = options.process ? options.process->part().plan().mode : SyncMode::kAlone;
  if (options.process && options.process->part().plan().by_mpi)
    cluster.why_mpi = options.process->part().plan().why;
  if (mode == SyncMode::kServers || mode == SyncMode::kRankSums)
    cluster.hosts = options.process->part().topology().ProcessesOf(0).size();
  if (mode == SyncMode::kServers) SetServers(options.process->part().topology(), &cluster);
  cluster.cores = std::max(1, cluster.cores / HostsAlike(cluster, options));
  cluster.link_gbit = job.cluster().link_gbit();
  cluster.threads = ThreadsOfWorker(job, options.threads);
  return cluster;
}

// Returns whether the cost model tells the time of a step: one group trains on CPUs, and hosts do
// not compress their gradients.
bool IsModelled(const JobProto& job, const PlanCluster& cluster) {
  const bool compresses = job.cluster().all_reduce().compression() != AllReduceProto::kNone;
  return cluster.workers > 1 && job.cluster().nworker_groups() == 1 && job.gpu_size() == 0 &&
         !(cluster.hosts > 1 && compresses);
}

AutoPartition ByRows(const JobProto& job, const std::string& why) {
  AutoPartition partition;
  partition.workers = job.cluster().nworkers_per_group();
  partition.why = why;
  return partition;
}

// Chooses by a trial if this process may use all cores of the job. Threads stand for processes of
// one host. If the measurements fail, for lack of memory or as a loss is not finite in them, all
// layers are divided by rows.
AutoPartition Choose(const JobProto& job, const PlanCluster& cluster, int64_t most_bytes,
                     Progress* progress) {
  KeptTimes timer(false, EveryTenSeconds([progress](const std::string& text) {
                    progress->Say("partition: kAuto " + text);
                  }));
  const AllCores cores;  // the process may have been bound to its share
  try {
    return ChoosePartition(job, cluster, most_bytes,
                           cluster.hosts == 1 && cluster.cores == UsableCores(), &timer);
  } catch (const Error& error) {
    const bool failed = error.code() == kExitNoDevice || error.code() == kExitDiverged ||
                        error.code() == kExitStalled;
    if (!failed) throw;
    return ByRows(job, error.what());
  }
}

}  // namespace

bool ChoosesPartition(const JobProto& job) {
  return job.neuralnet().partition() == NetProto::kAuto;
}

std::string PartitionFile(const std::string& workspace) { return workspace + "/partition.json"; }

AutoPartition FindPartition(const JobProto& job, const RunOptions& options, Progress* progress) {
  if (const std::string why = WhyNoChoice(job); !why.empty()) return ByRows(job, why);
  const std::string file = PartitionFile(WorkspacePath(job));
  std::error_code unknown;
  const bool has_choice = options.resume && std::filesystem::exists(file, unknown);
  if (auto kept = has_choice ? PartitionOfWorkspace(job, file) : std::nullopt) {
    progress->Say(StrCat("partition: ", Describe(*kept), "; kept from ", file));
    return *kept;
  }
  if (has_choice)
    progress->Warn(file + " is not used: it is damaged, or is for other workers or layers");
  const EndsOnSignal signals(options, "the first step");
  progress->Say("partition: kAuto looks for the fastest division, which may take minutes");
  const PlanCluster cluster = ClusterOf(job, options);
  const int64_t most_bytes = UsableMemory() / cluster.here() / HostsAlike(cluster, options);
  AutoPartition partition = Choose(job, cluster, most_bytes, progress);
  ReturnFreedMemory();  // of the workers that were measured
  progress->Say("partition: " + Describe(partition));
  return partition;
}

std::optional<double> PredictedMs(const JobProto& job, const RunOptions& options) {
  const PlanCluster cluster = ClusterOf(job, options);
  if (!IsModelled(job, cluster)) return {};
  if (options.partition && options.partition->predicted_ms > 0)
    return options.partition->predicted_ms;
  return KeptPrediction(job, cluster);
}

ControlMessage::Partition ProtoOf(const Division& division) {
  ControlMessage::Partition told;
  for (const auto& [name, layout] : division) {
    ControlMessage::Partition::Layer& layer = *told.add_layers();
    layer.set_name(name);
    layer.set_rows(layout.rows);
    layer.set_units(layout.units);
  }
  return told;
}

Division DivisionOf(const ControlMessage::Partition& told) {
  Division division;
  for (const ControlMessage::Partition::Layer& layer : told.layers())
    division[layer.name()] = {layer.rows(), layer.units()};
  return division;
}

void Divide(const AutoPartition& partition, JobProto* job) {
  SetDivision(partition.division, job->mutable_neuralnet());
}

}  // namespace singa
