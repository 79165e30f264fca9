// What a job's cluster says, and what of it has no effect.
#include "cluster/topology.h"
#include "cluster/worker_groups.h"
#include "driver/conf/check_values.h"
#include "singa/cluster/consistency.h"

namespace singa {
namespace {

constexpr int64_t kMostWorkers = 1024;  // threads of one process
constexpr const char* kOneServerGroup = "has no effect with one server group";

class ClusterCheck {
 public:
  ClusterCheck(const JobProto& job, ConfFindings* found)
      : job_(job), cluster_(job.cluster()), found_(*found) {}

  void Run() {
    if (RangesAreRight()) CheckTogether();
    const int64_t workers = int64_t{cluster_.nworker_groups()} * cluster_.nworkers_per_group();
    const int64_t servers = int64_t{cluster_.nserver_groups()} * cluster_.nservers_per_group();
    if (workers > cluster_.nworkers_per_procs() || servers > cluster_.nservers_per_procs())
      WarnOfProcesses();
    if (workers > kMostWorkers)
      found_.errors.push_back(
          ConfigError("cluster.nworkers_per_group",
                      StrCat("must make at most ", kMostWorkers, " workers, makes ", workers)));
    if (cluster_.has_all_reduce())
      Warn("all_reduce",
           "is not built yet: the workers' gradients are added up in memory, which computes the "
           "same");
    if (cluster_.has_user_consistency())
      Warn("user_consistency", "is not built yet: each group goes on alone, but for max_staleness");
    WarnOfOneGroup();
  }

 private:
  // Whether CheckRanges found nothing.
  bool RangesAreRight() const {
    for (const ConfigError& error : found_.errors)
      if (error.path().rfind("cluster.", 0) == 0) return false;
    return true;
  }

  void CheckTogether() {
    try {
      const Topology topology(cluster_);
      MakeConsistency(cluster_);
    } catch (const ConfigError& error) {
      found_.errors.push_back(error.Under("cluster"));
    }
  }

  void Warn(const std::string& field, const std::string& text) {
    found_.warnings.push_back(ConfigError("cluster." + field, text));
  }

  void WarnOfProcesses() {
    const char* field = cluster_.has_nworkers_per_procs()   ? "nworkers_per_procs"
                        : cluster_.nworkers_per_group() > 1 ? "nworkers_per_group"
                        : cluster_.nworker_groups() > 1     ? "nworker_groups"
                        : cluster_.nserver_groups() > 1     ? "nserver_groups"
                                                            : "nservers_per_group";
    Warn(field, "several processes are not built yet: all workers run as threads of one process");
  }

  void WarnOfOneGroup() {
    if (job_.warmup_steps() > 0 && cluster_.nworker_groups() == 1)
      found_.warnings.push_back(ConfigError("warmup_steps", "has no effect with one worker group"));
    if (cluster_.max_staleness() > 0 && cluster_.nworker_groups() == 1)
      Warn("max_staleness", "has no effect with one worker group");
    if (cluster_.nservers_per_group() > 1 && !HasServers(cluster_))
      Warn("nservers_per_group",
           "has no effect: the workers update the values that they share themselves");
    if (cluster_.nserver_groups() > 1) return;
    for (const char* field : {"sync_freq", "group_sync", "elastic_alpha"}) {
      const auto* descriptor = cluster_.GetDescriptor()->FindFieldByName(field);
      if (cluster_.GetReflection()->HasField(cluster_, descriptor)) Warn(field, kOneServerGroup);
    }
  }

  const JobProto& job_;
  const ClusterProto& cluster_;
  ConfFindings& found_;
};

}  // namespace

void CheckCluster(const JobProto& job, ConfFindings* found) { ClusterCheck(job, found).Run(); }

}  // namespace singa
