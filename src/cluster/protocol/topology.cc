#include "cluster/protocol/topology.h"

#include <algorithm>

#include "cluster/protocol/topology_errors.h"
#include "comm/security/keys.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void CheckProcesses(int processes) {
  if (processes > kMostProcesses)
    throw ConfigError("",
                      StrCat("makes ", processes, " processes, must be at most ", kMostProcesses,
                             ": give each process more workers or servers "
                             "(nworkers_per_procs, nservers_per_procs)"));
}

}  // namespace

bool InRounds(const ClusterProto& conf) {
  return conf.nworker_groups() > 1 && conf.group_sync() == ClusterProto::kOuter;
}

bool StepsTogether(const ClusterProto& conf) {
  return (conf.nworker_groups() > 1 && conf.has_user_consistency()) || InRounds(conf);
}

Topology::Topology(const ClusterProto& conf) : together_(StepsTogether(conf)) {
  const std::vector<ConfigError> errors = TopologyErrors(conf);
  if (!errors.empty()) throw errors.front();
  workers_ = Place(conf.nworker_groups(), conf.nworkers_per_group(), conf.nworkers_per_procs());
  processes_ = workers_.processes();
  if (!conf.has_all_reduce()) {
    servers_ = Place(conf.nserver_groups(), conf.nservers_per_group(), conf.nservers_per_procs());
    if (conf.server_worker_separate()) servers_.first_process = processes_;
    processes_ = std::max(processes_, servers_.first_process + servers_.processes());
  }
  CheckProcesses(processes_);
}

Topology Topology::InOneProcess() const {
  Topology one = *this;
  for (Placement* roles : {&one.workers_, &one.servers_})
    *roles = Place(roles->groups, roles->per_group, roles->total());
  one.processes_ = 1;
  return one;
}

Topology Topology::WithServersOfFirstGroup() const {
  Topology other = *this;
  other.servers_ = Place(1, ProcessesOf(0).size(), 1);
  return other;
}

Topology::Placement Topology::Place(int groups, int per_group, int per_process) {
  return {groups, per_group, std::max(1, std::min(per_process, groups * per_group))};
}

int Topology::Placement::ProcessOf(RoleId role) const {
  return first_process + (role.group * per_group + role.id) / per_process;
}

std::vector<RoleId> Topology::Placement::Of(int process) const {
  std::vector<RoleId> roles;
  if (process < first_process || process >= first_process + processes()) return roles;
  const int64_t begin = int64_t{process - first_process} * per_process;
  const int64_t end = std::min<int64_t>(total(), begin + per_process);
  for (int i = static_cast<int>(begin); i < end; ++i)
    roles.push_back({i / per_group, i % per_group});
  return roles;
}

Range Topology::ProcessesOf(int worker_group) const {
  return {workers_.ProcessOf({worker_group, 0}),
          workers_.ProcessOf({worker_group, workers_.per_group - 1}) + 1};
}

bool Topology::IsReplaceable(int process) const {
  const std::vector<RoleId> workers = Workers(process);
  const auto whole = [&](const RoleId& worker) {
    return worker.group > 0 && ProcessesOf(worker.group).size() == 1;
  };
  return !together_ && !workers.empty() && Servers(process).empty() && servers_.groups > 0 &&
         std::all_of(workers.begin(), workers.end(), whole);
}

int Topology::WorkersIn(int process, int worker_group) const {
  int count = 0;
  for (const RoleId& worker : Workers(process)) count += worker.group == worker_group;
  return count;
}

SumNode Topology::RunOf(int process, int worker_group) const {
  SumNode run = {workers_.per_group, 0};
  for (const RoleId& worker : Workers(process))
    if (worker.group == worker_group)
      run = {std::min(run.first, worker.id), std::max(run.last, worker.id + 1)};
  return run.first < run.last ? run : SumNode();
}

std::vector<SumNode> Topology::NodesOf(int process, int worker_group) const {
  return SumTree(workers_.per_group).NodesOf(RunOf(process, worker_group));
}

std::vector<SumNode> Topology::NodesOf(int process, int worker_group,
                                       const Contributors& by) const {
  if (by.all()) return NodesOf(process, worker_group);
  return by.NodesOf(RunOf(process, worker_group));
}

bool Topology::Reads(int process, int worker_group, const Contributors& by) const {
  const SumNode run = RunOf(process, worker_group);
  const int next = run.first + (by.first - run.first % by.stride + by.stride) % by.stride;
  return next < run.last;  // its first worker of those `stride` apart
}

std::vector<std::vector<SumNode>> Topology::ProcessNodes(int worker_group,
                                                         const Contributors& by) const {
  const Range processes = ProcessesOf(worker_group);
  std::vector<std::vector<SumNode>> nodes;
  for (int process = processes.first; process < processes.last; ++process)
    nodes.push_back(NodesOf(process, worker_group, by));
  return nodes;
}

int Topology::most_nodes() const {
  size_t most = 1;  // a process has one contributor at most if their stride exceeds its workers
  const int all = workers_.per_group;
  for (int stride = 1; stride <= std::min(all, workers_.per_process); ++stride)
    for (int first = 0; all % stride == 0 && first < stride; ++first)
      for (const auto& nodes : ProcessNodes(0, {first, stride, all / stride}))
        most = std::max(most, nodes.size());
  return static_cast<int>(most);
}

int Topology::ServerGroupOf(int worker_group) const {
  return worker_group / (workers_.groups / servers_.groups);
}

Range Topology::WorkerGroupsOf(int server_group) const {
  const int each = workers_.groups / servers_.groups;
  return {server_group * each, (server_group + 1) * each};
}

}  // namespace singa
