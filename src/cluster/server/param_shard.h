// ParamShard holds the slices of params that one server owns: values, updater's states, versions.
// Only the server's thread uses it. That thread also changes memory that Bind gave.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cluster/protocol/served_param.h"
#include "cluster/protocol/slice_set.h"
#include "comm/collective/slice_table.h"
#include "comm/message/message.h"
#include "train/apply/update_rule.h"

namespace singa {

class ParamShard {
 public:
  // Owns `slices` of the table. params: those that the table was made of. All must outlive it.
  ParamShard(const SliceTable& table, const std::vector<ServedParam>& params,
             const UpdateRule& rule, SliceSet slices);

  const SliceTable& table() const { return table_; }  // of all servers
  const SliceSet& slices() const { return slices_; }
  int64_t size(int slice) const { return table_[slice].size; }
  // Returns, for example, `slice 4 of param "w1" of layer "fc1"`.
  std::string Name(int slice) const;
  // Returns a name that tells which floats of which param the slice has: `w1/0-784`.
  std::string Key(int slice) const;
  // Returns the floats of a slice's State.
  int64_t state_size(int slice) const { return size(slice) * (1 + state_count_); }

  // Keeps the values of `slice` in memory[size(slice)], not in the shard's own memory.
  void Bind(int slice, float* memory) { at(slice).values = memory; }

  // Returns whether first values have come. The methods below, except Put, REQUIRE this.
  bool known(int slice) const { return at(slice).known; }
  // Sets the first values. `floats` has size(slice) of them, or state_size(slice), or none if the
  // bound memory has them.
  void Put(int slice, int64_t version, int64_t count, std::span<const float> floats);

  // Returns the steps that the values include: updates, and steps that were dropped.
  int64_t version(int slice) const { return at(slice).version; }
  int64_t count(int slice) const { return at(slice).count; }  // updates
  void set_count(int slice, int64_t count) { at(slice).count = count; }
  std::span<float> values(int slice) {
    return {at(slice).values, static_cast<size_t>(size(slice))};
  }
  // Returns each of the updater's states, one after the other.
  std::span<float> states(int slice) { return at(slice).states; }
  // Returns the values, then each of the updater's states.
  std::vector<float> State(int slice) const;

  // Updates the values. REQUIRES: `gradient`, the group's mean of `step`, is finite.
  void Update(Context* ctx, int slice, int64_t step, const float* gradient);
  void Drop(int slice) { ++at(slice).version; }

 private:
  struct Owned {
    bool known = false;
    float* values = nullptr;
    std::vector<float> own, states;
    int64_t version = 0, count = 0;
  };
  Owned& at(int slice) { return owned_[slices_.PlaceOf(slice)]; }
  const Owned& at(int slice) const { return owned_[slices_.PlaceOf(slice)]; }

  const SliceTable& table_;
  const std::vector<ServedParam>& params_;
  const UpdateRule& rule_;
  const SliceSet slices_;
  const int64_t state_count_;
  std::vector<Owned> owned_;
};

}  // namespace singa
