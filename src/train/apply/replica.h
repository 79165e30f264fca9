// Replica: the values of one copy of a job's params in this process, and what the updater remembers
// of them. Worker groups may share one.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/nn/param.h"
#include "train/apply/update_rule.h"

namespace singa {

// What an updater remembers of one param.
struct UpdaterState {
  std::string param;
  std::vector<std::string> names;
  std::vector<Tensor> tensors;  // float32, the param's size
};

// Where the states and counts of a replica lie if processes share them. The memory outlives the
// replica and is zero at first.
struct SharedStates {
  std::vector<std::vector<float*>> states;  // of each param, in order: where each state lies
  std::span<int64_t> counts;                // updates of each slice
};

class Replica {
 public:
  // Throws ConfigError relative to the JobProto.
  explicit Replica(const JobProto& job);

  const UpdateRule& rule() const { return rule_; }
  // Floats that the updater keeps for each element of a param.
  size_t state_count() const { return rule_.states().size(); }
  // `params`: those of `table`, of a worker that has their values. Allocates the states.
  void Bind(const SliceTable& table, const std::vector<Param*>& params);
  // Binds as Bind does, to states and counts in memory of the caller.
  void BindShared(const SliceTable& table, const std::vector<Param*>& params,
                  const SharedStates& shared);

  const SliceTable& table() const { return table_; }
  const Param& param(int slice) const { return *params_[table_[slice].param]; }
  // Applies the gradient of `step` to one slice. Any thread may call.
  void Apply(Context& ctx, int slice, int64_t step, const float* gradient);

  // Updates that `slice` has seen; its values, then each state.
  int64_t count_of(int slice) const { return counts_[slice]; }
  std::vector<float> Floats(int slice) const;
  // `floats`: as of Floats; without states: they are 0.
  void SetFloats(int slice, int64_t count, const std::vector<float>& floats);

  std::vector<UpdaterState>& states() { return states_; }  // of each param, in order
  // Updates that all of `param` has seen.
  int64_t count(int param) const;
  void set_count(int param, int64_t count);

 private:
  void AddStates(const std::vector<Param*>& params);

  const UpdateRule rule_;
  const bool shared_;  // by several groups
  SliceTable table_;
  std::vector<Param*> params_;
  std::vector<UpdaterState> states_;
  std::deque<std::mutex> locks_;  // of each slice
  std::vector<int64_t> own_counts_;
  std::span<int64_t> counts_;  // updates of each slice
};

}  // namespace singa
