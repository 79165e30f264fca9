// GradientEncoder encodes the gradients that a process has added up for a worker group, and keeps
// the codec's state of each slice. Threads may encode different slices at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/codec/float_frame.h"
#include "comm/collective/slice_table.h"

namespace singa {

class GradientEncoder {
 public:
  // `nodes`: sums in a gradient to which all workers contribute, as in Client::Push. A slice with
  // an owner has one sum. All that is passed must outlive it.
  GradientEncoder(const Codec& codec, const SliceTable& table, int64_t nodes);

  // Encodes a copy of `sums`: the slice's sum for each node, all finite.
  EncodedFloats Encode(int slice, std::span<float* const> sums);
  // The codec's state: [states, nodes, floats of the slice]; one node if one worker computes it.
  std::span<float> state(int slice) { return states_[slice]; }
  std::span<const float> state(int slice) const { return states_[slice]; }

  // Returns the bytes of the state for params of `elements` floats.
  static int64_t StateBytes(const Codec& codec, int64_t elements, int64_t nodes);

 private:
  const Codec& codec_;
  const SliceTable& table_;
  std::vector<std::vector<float>> states_;  // by slice
};

}  // namespace singa
