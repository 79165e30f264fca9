#include "cluster/protocol/topology_errors.h"

#include <string>
#include <utility>

#include "cluster/protocol/topology.h"

namespace singa {
namespace {

// The names of the conf's fields for one kind of role.
struct Fields {
  const char *groups, *per_group, *per_process;
};
constexpr Fields kWorkerFields = {"nworker_groups", "nworkers_per_group", "nworkers_per_procs"};
constexpr Fields kServerFields = {"nserver_groups", "nservers_per_group", "nservers_per_procs"};

class TopologyCheck {
 public:
  explicit TopologyCheck(const ClusterProto& conf) : conf_(conf) {}

  std::vector<ConfigError> Run() {
    CheckTimes();
    CheckNumbers(kWorkerFields, conf_.nworker_groups(), conf_.nworkers_per_group(),
                 conf_.nworkers_per_procs());
    CheckExchange();
    if (conf_.has_all_reduce())
      CheckAllReduce();
    else
      CheckServers();
    return std::move(errors_);
  }

 private:
  void Add(const char* field, const std::string& text) { errors_.emplace_back(field, text); }

  // Returns `ok`.
  template <typename T>
  bool Check(bool ok, const char* field, const char* range, T value) {
    if (!ok) Add(field, StrCat("must be ", range, ", is ", value));
    return ok;
  }

  void CheckTimes() {
    Check(conf_.start_timeout() >= 1, "start_timeout", ">= 1", conf_.start_timeout());
    Check(conf_.peer_timeout() >= 1, "peer_timeout", ">= 1", conf_.peer_timeout());
    Check(conf_.max_restarts() >= 0, "max_restarts", ">= 0", conf_.max_restarts());
    Check(conf_.stall_timeout() >= 0, "stall_timeout", ">= 0", conf_.stall_timeout());
  }

  void CheckNumbers(const Fields& fields, int64_t groups, int64_t per_group, int64_t per_process) {
    const size_t before = errors_.size();
    Check(groups >= 1, fields.groups, ">= 1", groups);
    Check(per_group >= 1, fields.per_group, ">= 1", per_group);
    Check(per_process >= 1, fields.per_process, ">= 1", per_process);
    if (errors_.size() > before) return;
    const int64_t all = groups * per_group;
    if (all > Topology::kMostRoles)
      Add(fields.groups,
          StrCat("times ", fields.per_group, " must be <= ", Topology::kMostRoles, ", is ", all));
    else if (per_process < all && per_group % per_process != 0 && per_process % per_group != 0)
      Add(fields.per_process, StrCat("must divide ", fields.per_group, ", ", per_group,
                                     ", or be a multiple of it, is ", per_process));
    else if (per_process < all && all % per_process != 0)
      Add(fields.per_process, StrCat("must divide ", fields.groups, " times ", fields.per_group,
                                     ", ", all, ", is ", per_process));
  }

  void CheckExchange() {
    const int freq = conf_.sync_freq();
    const bool positive = Check(freq >= 1, "sync_freq", ">= 1", freq);
    Check(conf_.max_staleness() >= 0, "max_staleness", ">= 0", conf_.max_staleness());
    Check(conf_.elastic_alpha() > 0 && conf_.elastic_alpha() < 1, "elastic_alpha", "in (0, 1)",
          conf_.elastic_alpha());
    if (conf_.group_sync() != ClusterProto::kOuter || !positive) return;
    if (conf_.outer_fragments() > freq)
      Add("outer_fragments",
          StrCat("must be <= sync_freq, ", freq, ", is ", conf_.outer_fragments()));
    if (conf_.outer_overlap() >= freq)
      Add("outer_overlap", StrCat("must be < sync_freq, ", freq, ", is ", conf_.outer_overlap()));
  }

  void CheckAllReduce() {
    if (InRounds(conf_))
      Add("all_reduce",
          "must not be set with group_sync: kOuter, whose groups send no gradients to each other");
  }

  void CheckServers() {
    const int groups = conf_.nserver_groups(), workers = conf_.nworker_groups();
    CheckNumbers(kServerFields, groups, conf_.nservers_per_group(), conf_.nservers_per_procs());
    if (groups < 1 || workers < 1) return;
    if (InRounds(conf_) && groups != workers)
      Add("nserver_groups",
          StrCat("must be nworker_groups, ", workers, ", with group_sync: kOuter, is ", groups));
    else if (workers % groups != 0)
      Add("nserver_groups", StrCat("must divide nworker_groups, ", workers, ", is ", groups));
  }

  const ClusterProto& conf_;
  std::vector<ConfigError> errors_;
};

}  // namespace

std::vector<ConfigError> TopologyErrors(const ClusterProto& conf) {
  return TopologyCheck(conf).Run();
}

}  // namespace singa
