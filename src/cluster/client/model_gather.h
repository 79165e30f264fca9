// A ModelGather asks the servers that are the masters of slices for the model, for a test or a
// checkpoint. It is part of a Client, which sends for it and gives it the answers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/thread/clock.h"
#include "cluster/protocol/addresses.h"
#include "cluster/protocol/outgoing.h"
#include "cluster/protocol/slice_owners.h"

namespace singa {

// The state of a slice, as a checkpoint holds it.
struct SliceState {
  int64_t version = 0;  // steps that it holds
  int64_t count = 0;    // updates
  // The values, then each of the updater's states. States that are all 0 are left out.
  std::vector<float> floats;
};

class ModelGather {
 public:
  // All must outlive it.
  ModelGather(const SliceTable& table, const SliceOwners& owners, const Clock& clock, Outgoing* out)
      : table_(table), owners_(owners), clock_(clock), out_(*out), slices_(table.size()) {}

  // Asks for all slices, with at least `version` steps.
  void Ask(int64_t version);
  // Returns whether all slices that were asked for have come.
  bool complete() const { return awaited_ == 0; }
  std::vector<SliceState> Take() { return std::move(gathered_); }

  // Takes a slice's state from a server of group `server_group`. Returns false if it does not fit
  // or was not asked for.
  bool OnState(const EncodedPart& part, int server_group);
  bool Awaits(int slice) const { return slices_[slice].awaited; }
  // Returns the time when `slice` was last asked for; 0: never.
  int64_t asked_at(int slice) const { return slices_[slice].asked_at; }

 private:
  struct Slice {
    bool awaited = false;
    int64_t asked_at = 0;
  };
  const SliceTable& table_;
  const SliceOwners& owners_;
  const Clock& clock_;
  Outgoing& out_;
  std::vector<Slice> slices_;
  int awaited_ = 0;  // slices that have not come
  std::vector<SliceState> gathered_;
};

}  // namespace singa
