// A Replica holds one copy of the values of a job's params in this process, and the updater's
// states. Worker groups may share one.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/thread/mutex.h"
#include "comm/collective/slice_table.h"
#include "singa/nn/param.h"
#include "train/apply/update_rule.h"

namespace singa {

// An updater's states of one param.
struct UpdaterState {
  std::string param;
  std::vector<std::string> names;
  std::vector<Tensor> tensors;  // float32, the param's size
};

// The memory of a replica's states and counts if processes share them. It must outlive the replica,
// and is zero at first.
struct SharedStates {
  std::vector<std::vector<float*>> states;  // by param, in order: the memory of each state
  std::span<int64_t> counts;                // updates of each slice
};

class Replica {
 public:
  // Throws ConfigError relative to the JobProto.
  explicit Replica(const JobProto& job);

  const UpdateRule& rule() const { return rule_; }
  // Does what UpdateRule::SetEpochSteps does. REQUIRES: no step has begun.
  void SetEpochSteps(double steps) { rule_.SetEpochSteps(steps); }
  // Floats that the updater keeps for each element of a param.
  size_t state_count() const { return rule_.states().size(); }
  // Attaches the replica to `params`: those of `table`, of a worker that has their values.
  // Allocates the states.
  void Attach(const SliceTable& table, const std::vector<Param*>& params);
  // Does what Attach does, with states and counts in the caller's memory.
  void AttachShared(const SliceTable& table, const std::vector<Param*>& params,
                    const SharedStates& shared);

  const SliceTable& table() const { return table_; }
  const Param& param(int slice) const { return *params_[table_[slice].param]; }
  // Applies the gradient of `step` to one slice. Any thread may call it.
  void Apply(Context& ctx, int slice, int64_t step, const float* gradient);

  // Return the updates that `slice` has seen, and its values, then each state.
  int64_t count_of(int slice) const { return counts_[slice]; }
  std::vector<float> Floats(int slice) const;
  // Sets what the two above return. Without states in `floats` they become 0.
  void SetFloats(int slice, int64_t count, std::span<const float> floats);
  // Returns the floats of all slices, one after the other, and sets them.
  std::vector<float> AllFloats() const;
  void SetAllFloats(std::span<const float> floats);

  std::vector<UpdaterState>& states() { return states_; }  // by param, in order
  // Returns the updates that all slices of `param` have seen.
  int64_t count(int param) const;
  void set_count(int param, int64_t count);

 private:
  void AddStates(const std::vector<Param*>& params);

  UpdateRule rule_;
  const bool shared_;  // several groups share the replica
  SliceTable table_;
  std::vector<Param*> params_;
  std::vector<UpdaterState> states_;
  std::deque<Mutex> locks_;  // by slice: of its values, states and count, in Apply
  std::vector<int64_t> own_counts_;
  std::span<int64_t> counts_;  // updates of each slice
};

}  // namespace singa
