#include "driver/job/divided_job.h"

#include "base/file/input_file.h"
#include "base/system/cgroup.h"
#include "cluster/process/job_process.h"
#include "driver/job/workspace.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 22;  // of the file

std::optional<AutoPartition> PartitionOfWorkspace(const JobProto& job) {
  try {
    const InputFile file = InputFile::Open(PartitionFile(WorkspacePath(job)));
    const std::vector<uint8_t> bytes = file.ReadAll(kMostBytes);
    std::optional<AutoPartition> partition =
        AutoPartitionOf(std::string(bytes.begin(), bytes.end()));
    if (!partition || partition->workers != job.cluster().nworkers_per_group()) return {};
    return partition;
  } catch (const Error&) {  // there is no such file, or it cannot be used
    return {};
  }
}

PlanCluster ClusterOf(const JobProto& job, const RunOptions& options) {
  PlanCluster cluster;
  cluster.workers = job.cluster().nworkers_per_group();
  cluster.cores = UsableCores();
  if (options.process && options.process->part().plan().mode == SyncMode::kServers)
    cluster.hosts = options.process->part().topology().ProcessesOf(0).size();
  cluster.threads = ThreadsOfWorker(job, options.threads);
  return cluster;
}

AutoPartition ByRows(const JobProto& job, const std::string& why) {
  AutoPartition partition;
  partition.workers = job.cluster().nworkers_per_group();
  partition.why = why;
  return partition;
}

}  // namespace

bool ChoosesPartition(const JobProto& job) {
  return job.neuralnet().partition() == NetProto::kAuto;
}

std::string PartitionFile(const std::string& workspace) { return workspace + "/partition.json"; }

AutoPartition FindPartition(const JobProto& job, const RunOptions& options, Progress* progress) {
  if (job.cluster().nworkers_per_group() == 1) return ByRows(job, "the group has one worker");
  const SyncPlan plan =
      options.process ? options.process->part().plan() : PlanSync(job, {.in_one_process = true});
  if (!plan.why_rows.empty()) return ByRows(job, plan.why_rows);
  if (options.resume)
    if (auto kept = PartitionOfWorkspace(job)) return *kept;
  progress->Say("partition: kAuto measures the layers, which takes some seconds");
  const PlanCluster cluster = ClusterOf(job, options);
  // Threads stand for processes of one host in a trial.
  AutoPartition partition = ChoosePartition(job, cluster, cluster.hosts == 1);
  progress->Say("partition: " + Describe(partition));
  return partition;
}

void Divide(const AutoPartition& partition, JobProto* job) {
  SetCuts(partition.cuts, job->mutable_neuralnet());
}

}  // namespace singa
