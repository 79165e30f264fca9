// Topology says which process of a job has which workers and servers, and which server group a
// worker group talks to. It is constant; any thread may use it.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/collective/slice_table.h"
#include "math/reduction/sum_tree.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// Identifies a worker or a server.
struct RoleId {
  int group = 0, id = 0;
  bool operator==(const RoleId&) const = default;
};

// The half-open range [first, last).
struct Range {
  int first = 0, last = 0;
  int size() const { return last - first; }
  bool Has(int64_t i) const { return i >= first && i < last; }
  bool operator==(const Range&) const = default;
};

// Returns whether several worker groups train in rounds of local steps (group_sync: kOuter).
bool InRounds(const ClusterProto& conf);
// Returns whether all worker groups take each step together: by a user_consistency, or in rounds of
// group_sync: kOuter.
bool StepsTogether(const ClusterProto& conf);

class Topology {
 public:
  // Most workers, and most servers, of a job.
  static constexpr int kMostRoles = SumTree::kMostWorkers;

  // Throws the first of TopologyErrors, or ConfigError if there are more than kMostProcesses.
  explicit Topology(const ClusterProto& conf);
  // Returns this topology with all workers and servers in one process.
  Topology InOneProcess() const;
  // Returns this topology with other servers: one group, with a server in each process that has
  // workers of the first worker group.
  Topology WithServersOfFirstGroup() const;

  int processes() const { return processes_; }
  int worker_groups() const { return workers_.groups; }
  int workers_per_group() const { return workers_.per_group; }
  int server_groups() const { return servers_.groups; }  // 0: none are named
  int servers_per_group() const { return servers_.per_group; }

  // Return the roles of a process, group by group.
  std::vector<RoleId> Workers(int process) const { return workers_.Of(process); }
  std::vector<RoleId> Servers(int process) const { return servers_.Of(process); }
  int ProcessOfWorker(RoleId worker) const { return workers_.ProcessOf(worker); }
  int ProcessOfServer(RoleId server) const { return servers_.ProcessOf(server); }

  // Returns the processes that have workers of `worker_group`.
  Range ProcessesOf(int worker_group) const;
  // Returns whether a new process may take the place of `process` while the job goes on. It may if
  // `process` has only whole worker groups, not the first, which leads the job, and groups do not
  // take steps together.
  bool IsReplaceable(int process) const;
  // Returns the number of workers of `worker_group` in `process`.
  int WorkersIn(int process, int worker_group) const;
  // Returns the nodes of the group's SumTree that the workers of `worker_group` in `process` make
  // up.
  std::vector<SumNode> NodesOf(int process, int worker_group) const;
  // Returns the nodes of the contributors' tree that the process adds up; all(): as above.
  std::vector<SumNode> NodesOf(int process, int worker_group, const Contributors& by) const;
  // Returns whether the process has a worker with the part of the param that the contributors
  // compute. It needs their updates, whether it adds up nodes or not.
  bool Reads(int process, int worker_group, const Contributors& by) const;
  // Returns NodesOf for each process that has workers of the group, in order.
  std::vector<std::vector<SumNode>> ProcessNodes(int worker_group,
                                                 const Contributors& by = {}) const;
  // Returns the largest number of nodes that a process has of one group, for any contributors that
  // a partition_grid makes.
  int most_nodes() const;
  int ServerGroupOf(int worker_group) const;
  // Returns the worker groups that talk to `server_group`.
  Range WorkerGroupsOf(int server_group) const;

 private:
  // Returns the workers of the group in the process.
  SumNode RunOf(int process, int worker_group) const;

  // The placement of one kind of role: in order, `per_process` in each process from `first_process`
  // on.
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
  bool together_ = false;  // StepsTogether
};

}  // namespace singa
