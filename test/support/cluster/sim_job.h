// SimJob is a job for simulated clusters, drawn from a seed. Its values show how each gradient was
// used. In every slice the first elements are *tags*: one for each step of each process of each
// worker group. A tag counts how often that contribution was added. Gradients move the elements
// behind the tags, and depend on all values: a process that reads an old value ends with other
// bits.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/protocol/topology.h"
#include "cluster/server/param_shard.h"
#include "comm/collective/slice_table.h"
#include "support/sim_schedule.h"

namespace singa {

// SimKind says how the worker groups of a job depend on each other.
enum class SimKind {
  kSynchronous,   // one group, or groups that take each step together: one result, bit for bit
  kAsynchronous,  // groups of one or of several server groups
};

class SimJob {
 public:
  SimJob(uint64_t seed, SimKind kind);
  SimJob(const SimJob&) = delete;

  static constexpr int64_t kSteps = 10;  // of each worker group

  const JobProto& conf() const { return conf_; }
  const Topology& topology() const { return topology_; }
  const SliceTable& table() const { return table_; }
  const std::vector<ServedParam>& params() const { return params_; }
  bool synchronous() const { return kind_ == SimKind::kSynchronous; }
  // Returns whether server groups move towards a centre. Then the sum of all replicas and of the
  // centre counts.
  bool elastic() const;
  // Returns whether the tags of each replica count: the updater adds gradients up, and no server
  // group is elastic.
  bool counts() const { return sums_ && !elastic(); }

  // Returns all slices in one row, which is the form of all arguments and results called values
  // below.
  std::vector<float> First() const;
  // Returns, by slice, gradients for each of the process's SumTree nodes. Empty: the process has no
  // finite gradient, and the group's step is to be dropped.
  std::vector<std::vector<float>> Gradients(int group, int process, int64_t step,
                                            const std::vector<float>& values) const;
  // Returns the values of a synchronous job after `steps` steps, computed by plain loops.
  std::vector<float> Reference(int64_t steps) const;

  // Returns the number of tags that differ from their expected value after `steps` steps. Tags have
  // to count.
  int Wrong(const std::vector<float>& values, int64_t steps) const;
  // Returns the largest count of any tag. Above 1 a contribution was added twice.
  float MostCounted(const std::vector<float>& values) const;

  int64_t begin(int slice) const { return begins_[slice]; }

 private:
  JobProto Draw();
  bool TryCluster(ClusterProto* cluster);
  void DrawUpdater(JobProto* job);
  bool Dropped(int group, int64_t step) const;
  int64_t Tag(int group, int process, int64_t step) const;
  int64_t tags() const { return static_cast<int64_t>(clients_.size()) * kSteps; }
  std::vector<std::vector<float>> Sums(int group, int64_t step,
                                       const std::vector<float>& values) const;

  const uint64_t seed_;
  const SimKind kind_;
  SimSchedule random_;
  bool sums_ = true;  // the updater adds gradients up
  const JobProto conf_;
  const Topology topology_;
  std::vector<std::pair<int, int>> clients_;  // (worker group, process)
  std::vector<ServedParam> params_;
  SliceTable table_;
  std::vector<int64_t> begins_;  // of each slice
};

}  // namespace singa
