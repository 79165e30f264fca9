// GradientEncoder encodes the gradients that a process has added up for a worker group, and keeps
// the codec's state of each slice. Threads may encode different slices at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/protocol/topology.h"
#include "comm/codec/float_frame.h"
#include "comm/collective/slice_table.h"

namespace singa {

class GradientEncoder {
 public:
  // Encodes gradients of the group's workers in the process. The codec and the table must outlive
  // it.
  GradientEncoder(const Codec& codec, const SliceTable& table, const Topology& topology,
                  int process, int group);

  // Encodes a copy of `sums`, of `step`: the slice's sum for each node, as in Client::Push, all
  // finite. A codec leaves nothing out of a slice that one worker alone has.
  EncodedFloats Encode(int64_t step, int slice, std::span<float* const> sums);
  // The codec's state: [states, nodes, floats of the slice].
  std::span<float> state(int slice) { return states_[slice]; }
  std::span<const float> state(int slice) const { return states_[slice]; }

  // Returns the bytes of the state for params of `elements` floats.
  static int64_t StateBytes(const Codec& codec, int64_t elements, int64_t nodes);

 private:
  const Codec& codec_;
  const SliceTable& table_;
  const int workers_;                       // of the group
  std::vector<std::vector<float>> states_;  // by slice
};

}  // namespace singa
