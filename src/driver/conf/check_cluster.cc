// Checks the cluster settings of a job, and warns of settings without effect.
#include <algorithm>
#include <optional>

#include "cluster/protocol/sync_plan.h"
#include "driver/conf/check_values.h"
#include "driver/launch/launch_place.h"
#include "driver/launch/launcher_rank.h"
#include "singa/cluster/consistency.h"
#include "tensor/gpu/gpus.h"

namespace singa {
namespace {

constexpr int64_t kMostWorkers = 1024;  // threads of one process
constexpr const char* kOneServerGroup = "has no effect with one server group";

class ClusterCheck {
 public:
  ClusterCheck(const JobProto& job, ConfFindings* found)
      : job_(job), cluster_(job.cluster()), found_(*found) {}

  void Run() {
    CheckCoordinator();
    if (NothingIsWrong()) CheckTogether();
    const int64_t workers = int64_t{cluster_.nworker_groups()} * cluster_.nworkers_per_group();
    if (workers > kMostWorkers && !several_ && NothingIsWrong())
      found_.errors.push_back(
          ConfigError("cluster.nworkers_per_group",
                      StrCat("must make at most ", kMostWorkers, " workers, makes ", workers)));
    if (cluster_.has_all_reduce()) CheckAllReduce();
    WarnOfOneGroup();
  }

 private:
  static bool IsOfCluster(const ConfigError& error) {
    return error.path() == "cluster" || error.path().rfind("cluster.", 0) == 0;
  }

  // Returns whether no cluster setting has an error so far.
  bool NothingIsWrong() const {
    return std::none_of(found_.errors.begin(), found_.errors.end(), IsOfCluster);
  }

  void CheckCoordinator() {
    try {
      CoordinatorOf(job_);
    } catch (const ConfigError& error) {
      found_.errors.push_back(error);
    }
  }

  // Returns the facts of a launcher that has started this process.
  static SyncFacts FactsHere() {
    const std::optional<LauncherRank> launcher = FindLauncherRank();
    if (!launcher) return {};
    return {.one_host = !launcher->several_hosts, .why_mpi = launcher->why_mpi};
  }

  void CheckTogether() {
    try {
      const SyncPlan plan = PlanSync(job_, FactsHere());
      several_ = plan.topology.processes() > 1;
      mode_ = plan.mode;
      MakeConsistency(cluster_);
      CheckWarmUp();
      if (!several_) WarnOfOneProcess();
    } catch (const ConfigError& error) {
      found_.errors.push_back(IsOfCluster(error) ? error : error.Under("cluster"));
    }
  }

  // Throws ConfigError if warmup_steps is set, but groups take steps together.
  void CheckWarmUp() const {
    if (job_.warmup_steps() > 0 && StepsTogether(cluster_))
      throw ConfigError(
          cluster_.has_user_consistency() ? "cluster.user_consistency" : "cluster.group_sync",
          "must not be set with warmup_steps: the first group would wait for the "
          "others, which wait for it");
  }

  void Warn(const std::string& field, const std::string& text) {
    found_.warnings.push_back(ConfigError("cluster." + field, text));
  }

  void CheckAllReduce() {
    const bool has_gpus = job_.gpu_size() > 0 && CountGpus() > 0;
    const bool by_gpus = has_gpus && cluster_.nworker_groups() == 1 &&
                         (mode_ == SyncMode::kAllReduce || !NothingIsWrong());
    CheckCompression(by_gpus);
    WarnOfSparsity(by_gpus);
    if (by_gpus) return CheckOwnGpus();
    const std::string where = has_gpus ? WhyNotByGpus() : "without GPUs";
    if (cluster_.all_reduce().has_fusion_elements() && mode_ != SyncMode::kRankSums)
      Warn("all_reduce.fusion_elements", "has no effect " + where);
    if (cluster_.all_reduce().backend() == AllReduceProto::kMpi) return CheckMpi();
    const bool served = several_ || ServedAsAsked();
    const bool as_asked = mode_ == SyncMode::kServers && served && compresses();
    if (mode_ == SyncMode::kRankSums || as_asked) return;
    Warn("all_reduce", where + (has_gpus ? ", the host adds the gradients up" : WhoAddsUp()));
  }

  // REQUIRES: there are GPUs, and they do not add gradients up.
  std::string WhyNotByGpus() const {
    if (cluster_.nworker_groups() > 1) return "with several worker groups";
    return "with backend: " + AllReduceProto::Backend_Name(cluster_.all_reduce().backend());
  }

  // The mode is not known if something is wrong.
  bool ServedAsAsked() const { return cluster_.all_reduce().backend() == AllReduceProto::kServers; }
  bool compresses() const { return cluster_.all_reduce().compression() != AllReduceProto::kNone; }

  // Servers get compressed gradients. Others add up what no process sends. `by_gpus`: GPUs add up.
  void CheckCompression(bool by_gpus) {
    if (!compresses() || by_gpus) return;
    const auto warn = [&](const std::string& text) { Warn("all_reduce.compression", text); };
    const AllReduceProto::Compression name = cluster_.all_reduce().compression();
    const bool by_ranks = name == AllReduceProto::kPartial || name == AllReduceProto::kPowerSGD;
    if (mode_ == SyncMode::kHostMemory)
      warn("has no effect between processes that share memory, such as those of one host");
    else if (mode_ != SyncMode::kServers && mode_ != SyncMode::kRankSums)
      warn("has no effect: the workers of one process send no gradients");
    else if (by_ranks && mode_ == SyncMode::kServers && NothingIsWrong())
      found_.errors.push_back(
          ConfigError("cluster.all_reduce.compression",
                      AllReduceProto::Compression_Name(name) +
                          " needs one worker group, with workers in each process"));
  }

  // kThreshold bounds the share that is sent only on GPUs which send the rest later.
  void WarnOfSparsity(bool by_gpus) {
    const AllReduceProto& conf = cluster_.all_reduce();
    if (conf.compression() != AllReduceProto::kThreshold || !conf.has_sparsity()) return;
    if (!by_gpus)
      Warn("all_reduce.sparsity",
           "has no effect with compression: kThreshold unless GPUs add the gradients up");
    else if (!conf.error_feedback())
      Warn("all_reduce.sparsity",
           "has no effect with compression: kThreshold and error_feedback: false");
  }

  void CheckMpi() {
    if (!several_) Warn("all_reduce.backend", "kMpi has no effect with one process");
  }

  // Says in words who adds up gradients on CPUs, if all processes are on one host.
  std::string WhoAddsUp() const {
    if (mode_ == SyncMode::kHostMemory)
      return ", processes of one host add the gradients up in shared memory, and processes of "
             "several hosts by a server in each; the results are the same";
    if (several_)
      return ", a server in each process adds the gradients up; the results are the same";
    return StrCat(ServedAsAsked() ? ", a server adds the gradients up"
                                  : ", the workers add the gradients up in memory",
                  "; the results are the same");
  }

  // Checks pairs of workers on one host. GPUs of other hosts are checked when their processes
  // connect.
  void CheckOwnGpus() {
    for (int i = 1; i < std::min(job_.gpu_size(), cluster_.nworkers_per_group()); ++i)
      for (int j = 0; j < i; ++j)
        if (job_.gpu(i) == job_.gpu(j)) {
          found_.errors.push_back(
              ConfigError(StrCat("gpu[", i, "]"),
                          StrCat("workers ", j, " and ", i, " share GPU ", job_.gpu(i),
                                 ", and with cluster.all_reduce NCCL needs one for each")));
          return;
        }
  }

  void WarnOfOneProcess() {
    constexpr const char* kAlone = "has no effect with one process";
    for (const char* field :
         {"coordinator", "bind", "start_timeout", "peer_timeout", "max_restarts", "insecure"})
      if (Has(field)) Warn(field, kAlone);
    // With several servers, nservers_per_procs may be what puts all into one process.
    const bool servers = cluster_.nserver_groups() > 1 || cluster_.nservers_per_group() > 1;
    if (cluster_.nservers_per_procs() != 1 && (!servers || cluster_.has_all_reduce()))
      Warn("nservers_per_procs", kAlone);
    if (cluster_.server_worker_separate()) Warn("server_worker_separate", kAlone);
  }

  bool Has(const char* field) const {
    return cluster_.GetReflection()->HasField(cluster_,
                                              cluster_.GetDescriptor()->FindFieldByName(field));
  }

  void WarnOfOneGroup() {
    if (job_.warmup_steps() > 0 && cluster_.nworker_groups() == 1)
      found_.warnings.push_back(ConfigError("warmup_steps", "has no effect with one worker group"));
    if (cluster_.has_user_consistency() && cluster_.nworker_groups() == 1)
      Warn("user_consistency", "has no effect with one worker group");
    if (cluster_.max_staleness() > 0 && cluster_.nworker_groups() == 1)
      Warn("max_staleness", "has no effect with one worker group");
    if (cluster_.nservers_per_group() > 1 && mode_ != SyncMode::kServers && !several_ &&
        NothingIsWrong())
      Warn("nservers_per_group",
           "has no effect: the workers share the values and update them without servers");
    if (cluster_.nserver_groups() > 1) return WarnOfRounds();
    for (const char* field : {"sync_freq", "group_sync", "elastic_alpha"})
      if (Has(field)) Warn(field, kOneServerGroup);
    if (cluster_.group_sync() != ClusterProto::kOuter) return;  // which draws a warning anyway
    for (const char* field : {"outer_lr", "outer_momentum", "outer_compression", "outer_fragments",
                              "outer_overlap", "outer_mixing"})
      if (Has(field)) Warn(field, kOneServerGroup);
  }

  void WarnOfRounds() {
    if (cluster_.group_sync() != ClusterProto::kOuter) return;
    if (cluster_.max_staleness() > 0)
      Warn("max_staleness", "has no effect with group_sync: kOuter: groups take steps together");
    if (Has("outer_mixing") && cluster_.outer_overlap() == 0)
      Warn("outer_mixing", "has no effect with outer_overlap: 0");
  }

  const JobProto& job_;
  const ClusterProto& cluster_;
  ConfFindings& found_;
  bool several_ = false;  // the job has several processes
  SyncMode mode_ = SyncMode::kServers;
};

}  // namespace

void CheckCluster(const JobProto& job, ConfFindings* found) { ClusterCheck(job, found).Run(); }

}  // namespace singa
