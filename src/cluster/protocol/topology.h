// Topology: which process of a job holds which workers and servers, and which server group a worker
// group talks to. Constant; any thread may use it.
#pragma once

#include <cstdint>
#include <vector>

#include "math/reduction/sum_tree.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// A worker or a server.
struct RoleId {
  int group = 0, id = 0;
  bool operator==(const RoleId&) const = default;
};

// Half-open: [first, last).
struct Range {
  int first = 0, last = 0;
  int size() const { return last - first; }
  bool Has(int64_t i) const { return i >= first && i < last; }
  bool operator==(const Range&) const = default;
};

class Topology {
 public:
  static constexpr int kMostRoles = SumTree::kMostWorkers;  // workers, and servers, of a job

  // Throws ConfigError relative to `conf`, for whatever of its numbers is out of range, and where
  // there are more than kMostProcesses.
  explicit Topology(const ClusterProto& conf);
  // This topology with all workers and servers in one process.
  Topology InOneProcess() const;
  // This topology with other servers: one group, with a server in each process that has workers of
  // the first worker group.
  Topology WithServersOfFirstGroup() const;

  int processes() const { return processes_; }
  int worker_groups() const { return workers_.groups; }
  int workers_per_group() const { return workers_.per_group; }
  int server_groups() const { return servers_.groups; }  // 0: none are named
  int servers_per_group() const { return servers_.per_group; }

  // Group by group.
  std::vector<RoleId> Workers(int process) const { return workers_.Of(process); }
  std::vector<RoleId> Servers(int process) const { return servers_.Of(process); }
  int ProcessOfWorker(RoleId worker) const { return workers_.ProcessOf(worker); }
  int ProcessOfServer(RoleId server) const { return servers_.ProcessOf(server); }

  // Processes that have workers of `worker_group`.
  Range ProcessesOf(int worker_group) const;
  // Whether another may take the place of `process` while the job goes on: whole worker groups are
  // all that it has, not the first, by which the job is led, and they do not take steps together.
  bool IsReplaceable(int process) const;
  // How many of them `process` has.
  int WorkersIn(int process, int worker_group) const;
  // The nodes of the group's SumTree that the workers of `worker_group` in `process` make up.
  std::vector<SumNode> NodesOf(int process, int worker_group) const;
  // NodesOf for each process that has workers of the group, in order.
  std::vector<std::vector<SumNode>> ProcessNodes(int worker_group) const;
  int ServerGroupOf(int worker_group) const;
  // The largest number of such nodes that a process has of one group.
  int most_nodes() const;
  // Worker groups that talk to `server_group`.
  Range WorkerGroupsOf(int server_group) const;

 private:
  // Roles of one kind, placed in order, `per_process` in each process from `first_process` on.
  struct Placement {
    int groups = 0, per_group = 0, per_process = 1, first_process = 0;
    int total() const { return groups * per_group; }
    int processes() const { return (total() + per_process - 1) / per_process; }
    int ProcessOf(RoleId role) const;
    std::vector<RoleId> Of(int process) const;
  };
  static Placement Place(int groups, int per_group, int per_process);

  Placement workers_, servers_;
  int processes_ = 0;
  bool together_ = false;  // worker groups do what a user_consistency says
};

}  // namespace singa
