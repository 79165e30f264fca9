// Checks the cluster settings of a job, and warns of settings without effect.
#include <algorithm>
#include <functional>
#include <optional>

#include "cluster/protocol/sync_plan.h"
#include "cluster/protocol/topology_errors.h"
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
      : job_(job),
        cluster_(job.cluster()),
        found_(*found),
        has_gpus_(job.gpu_size() > 0 && CountGpus() > 0) {}

  void Run() {
    Try([this] { CoordinatorOf(job_); });
    for (const ConfigError& error : TopologyErrors(cluster_)) Add(error.Under("cluster"));
    Try([this] { MakeConsistency(cluster_); });
    Try([this] { CheckWarmUp(); });
    Try([this] { Plan(); });
    if (!NothingIsWrong()) mode_.reset();  // of a conf with mistakes, nothing is compared with it
    if (mode_ && !several_) CheckOneProcess();
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

  // Adds an error, unless its field has one already.
  void Add(const ConfigError& error) {
    const bool told = std::ranges::any_of(
        found_.errors, [&](const ConfigError& each) { return each.path() == error.path(); });
    if (!told) found_.errors.push_back(error);
  }

  void Try(const std::function<void()>& check) {
    try {
      check();
    } catch (const ConfigError& error) {
      Add(IsOfCluster(error) ? error : error.Under("cluster"));
    }
  }

  void Plan() {
    SyncFacts facts;
    if (const std::optional<LauncherRank> launcher = FindLauncherRank())
      facts = {.one_host = !launcher->several_hosts, .why_mpi = launcher->why_mpi};
    if (!has_gpus_) facts.why_not_gpus = "there are no GPUs";
    const SyncPlan plan = PlanSync(job_, facts);
    several_ = plan.topology.processes() > 1;
    mode_ = plan.mode;
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

  // A field of all_reduce that may have no effect.
  struct MaybeIdle {
    const char* field;
    bool is_idle;
    const char* text;
  };

  void CheckAllReduce() {
    const AllReduceProto& conf = cluster_.all_reduce();
    const bool one_group = cluster_.nworker_groups() == 1;
    if (has_gpus_ && one_group && mode_.value_or(SyncMode::kAllReduce) == SyncMode::kAllReduce)
      CheckOwnGpus();
    if (!mode_) return;
    if (NeedsRankSums(conf) && mode_ == SyncMode::kServers)
      Add(ConfigError(
          "cluster.all_reduce.compression",
          StrCat(AllReduceProto::Compression_Name(conf.compression()),
                 " needs one worker group; nworker_groups is ", cluster_.nworker_groups())));
    if (has_gpus_ && !one_group)
      Warn("all_reduce", "with several worker groups, the host adds the gradients up");
    const bool by_gpus = mode_ == SyncMode::kAllReduce, by_ranks = mode_ == SyncMode::kRankSums;
    const bool by_threads = mode_ == SyncMode::kThreads || mode_ == SyncMode::kAlone;
    const bool compresses = conf.compression() != AllReduceProto::kNone;
    const bool by_threshold = conf.compression() == AllReduceProto::kThreshold;
    const MaybeIdle fields[] = {
        {"backend", conf.backend() == AllReduceProto::kMpi && !several_,
         "kMpi has no effect with one process"},
        {"backend", conf.backend() == AllReduceProto::kNccl && !has_gpus_,
         "kNccl has no effect: singa finds no GPU"},
        {"compression", compresses && by_threads,
         "has no effect: the workers of one process send no gradients"},
        {"compression", compresses && mode_ == SyncMode::kHostMemory,
         "has no effect between processes that share memory, such as those of one host"},
        {"fusion_elements", !by_gpus && !by_ranks,
         "has no effect: it is for the backends kNccl and kMpi, and for compression kPartial and "
         "kPowerSGD"},
        {"sparsity", by_threshold && !by_gpus,
         "has no effect with compression: kThreshold unless GPUs add the gradients up"},
        {"sparsity", by_threshold && by_gpus && !conf.error_feedback(),
         "has no effect with compression: kThreshold and error_feedback: false"},
        {"sparsity", by_threshold && by_gpus && conf.threshold() == 0,
         "has no effect with compression: kThreshold and threshold: 0"},
    };
    for (const MaybeIdle& row : fields)
      if (row.is_idle && Has(conf, row.field)) Warn(StrCat("all_reduce.", row.field), row.text);
  }

  // Checks pairs of workers on one host. GPUs of other hosts are checked when their processes
  // connect.
  void CheckOwnGpus() {
    for (int i = 1; i < std::min(job_.gpu_size(), cluster_.nworkers_per_group()); ++i)
      for (int j = 0; j < i; ++j)
        if (job_.gpu(i) == job_.gpu(j)) {
          return Add(ConfigError(StrCat("gpu[", i, "]"),
                                 StrCat("workers ", j, " and ", i, " share GPU ", job_.gpu(i),
                                        ", and with cluster.all_reduce NCCL needs one for each")));
        }
  }

  void CheckOneProcess() {
    const int64_t workers = int64_t{cluster_.nworker_groups()} * cluster_.nworkers_per_group();
    if (workers > kMostWorkers)
      Add(ConfigError("cluster.nworkers_per_group",
                      StrCat("must make at most ", kMostWorkers, " workers, makes ", workers)));
    constexpr const char* kAlone = "has no effect with one process";
    for (const char* field :
         {"coordinator", "bind", "start_timeout", "peer_timeout", "max_restarts", "insecure"})
      if (Has(cluster_, field)) Warn(field, kAlone);
    // With several servers, nservers_per_procs may be what puts all into one process.
    const bool servers = cluster_.nserver_groups() > 1 || cluster_.nservers_per_group() > 1;
    if (cluster_.nservers_per_procs() != 1 && (!servers || cluster_.has_all_reduce()))
      Warn("nservers_per_procs", kAlone);
    if (cluster_.server_worker_separate()) Warn("server_worker_separate", kAlone);
  }

  static bool Has(const google::protobuf::Message& message, const char* field) {
    return message.GetReflection()->HasField(message,
                                             message.GetDescriptor()->FindFieldByName(field));
  }

  void WarnOfOneGroup() {
    if (job_.warmup_steps() > 0 && cluster_.nworker_groups() == 1)
      found_.warnings.push_back(ConfigError("warmup_steps", "has no effect with one worker group"));
    if (cluster_.has_user_consistency() && cluster_.nworker_groups() == 1)
      Warn("user_consistency", "has no effect with one worker group");
    if (cluster_.max_staleness() > 0 && cluster_.nworker_groups() == 1)
      Warn("max_staleness", "has no effect with one worker group");
    if (cluster_.nservers_per_group() > 1 && mode_ && mode_ != SyncMode::kServers && !several_)
      Warn("nservers_per_group",
           "has no effect: the workers share the values and update them without servers");
    if (InRounds(cluster_)) return WarnOfRounds();
    const bool sums = cluster_.nserver_groups() > 1 && cluster_.has_all_reduce();
    if (cluster_.nserver_groups() > 1 && !sums) return;
    const char* const why = sums ? "has no effect with all_reduce" : kOneServerGroup;
    if (sums) Warn("nserver_groups", why);
    for (const char* field : {"sync_freq", "group_sync", "elastic_alpha"})
      if (Has(cluster_, field)) Warn(field, why);
    if (cluster_.group_sync() != ClusterProto::kOuter) return;  // which draws a warning anyway
    for (const char* field : {"outer_lr", "outer_momentum", "outer_compression", "outer_fragments",
                              "outer_overlap", "outer_mixing"})
      if (Has(cluster_, field)) Warn(field, why);
  }

  void WarnOfRounds() {
    if (cluster_.max_staleness() > 0)
      Warn("max_staleness", "has no effect with group_sync: kOuter: groups take steps together");
    if (Has(cluster_, "outer_mixing") && cluster_.outer_overlap() == 0)
      Warn("outer_mixing", "has no effect with outer_overlap: 0");
  }

  const JobProto& job_;
  const ClusterProto& cluster_;
  ConfFindings& found_;
  const bool has_gpus_;           // the job names GPUs, and the machine has some
  bool several_ = false;          // the job has several processes
  std::optional<SyncMode> mode_;  // not set: the conf has mistakes
};

}  // namespace

void CheckCluster(const JobProto& job, ConfFindings* found) { ClusterCheck(job, found).Run(); }

}  // namespace singa
