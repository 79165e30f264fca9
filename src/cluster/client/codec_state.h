// CodecState is the state that the gradients' codec keeps for the worker groups of one process, as
// a checkpoint has it: a tensor for each slice and group, [states, nodes, floats]. The names tell
// the workers whose sums a tensor belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/gradient_encoder.h"
#include "cluster/protocol/topology.h"
#include "io/checkpoint/stored_tensor.h"
#include "train/reduce/exchange_state.h"

namespace singa {

// Returns the beginning of the names of state in a checkpoint that belongs to the workers of
// `group` in process `rank`: "codec/group0/workers0-1/".
std::string StatePrefix(std::string_view kind, const Topology& topology, int rank, int group);

class CodecState {
 public:
  // `groups`: the encoder of each worker group of process `rank`; null: it is not connected yet.
  // All must outlive it.
  CodecState(const Codec& codec, const Topology& topology, int rank, const SliceTable& table,
             std::map<int, GradientEncoder*> groups)
      : codec_(codec),
        topology_(topology),
        rank_(rank),
        table_(table),
        groups_(std::move(groups)) {}

  // Returns the bytes of the state for params of `elements` floats.
  int64_t bytes(int64_t elements) const;
  // Returns whether Tensors has a tensor of this name.
  bool Has(const std::string& name) const;
  // Returns the tensors, which refer to memory in place. REQUIRES: the groups are connected, and
  // none is in a step.
  std::vector<StoredTensor> Tensors();
  // Sets the state by the tensors' names. Returns the groups whose state is not in `states` as a
  // whole; it stays 0. REQUIRES: as Tensors.
  std::vector<int> Set(const std::map<std::string, std::vector<float>>& states);

 private:
  // Returns the beginning of the names of the state of `group`.
  std::string PrefixOf(int group) const {
    return StatePrefix(kCodecState, topology_, rank_, group) + "slice";
  }

  const Codec& codec_;
  const Topology& topology_;
  const int rank_;
  const SliceTable& table_;
  const std::map<int, GradientEncoder*> groups_;
};

}  // namespace singa
