// GradientEncoder: encodes what a process has added up of a worker group's gradients, and keeps the
// codec's state of each slice. Threads may encode different slices at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/codec/float_frame.h"
#include "comm/collective/slice_table.h"

namespace singa {

class GradientEncoder {
 public:
  // `nodes`: sums in each gradient, those of Client::Push. All that is passed must outlive it.
  GradientEncoder(const Codec& codec, const SliceTable& table, int64_t nodes);

  // The slice's sum for each node, all finite. Copies them.
  EncodedFloats Encode(int slice, std::span<float* const> sums);
  // The codec's state: [states, nodes, floats of the slice].
  std::span<float> state(int slice) { return states_[slice]; }
  std::span<const float> state(int slice) const { return states_[slice]; }

  // Bytes of the state for params of `elements` floats.
  static int64_t StateBytes(const Codec& codec, int64_t elements, int64_t nodes);

 private:
  const Codec& codec_;
  const SliceTable& table_;
  std::vector<std::vector<float>> states_;  // by slice
};

}  // namespace singa
