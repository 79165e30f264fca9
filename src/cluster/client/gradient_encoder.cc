#include "cluster/client/gradient_encoder.h"

#include <algorithm>

namespace singa {

GradientEncoder::GradientEncoder(const Codec& codec, const SliceTable& table,
                                 const Topology& topology, int process, int group)
    : codec_(codec), table_(table), workers_(topology.workers_per_group()), states_(table.size()) {
  for (int s = 0; s < table.size(); ++s) {
    const int64_t nodes = std::ssize(topology.NodesOf(process, group, table[s].by));
    states_[s].resize(codec.states() * nodes * table[s].size);
  }
}

// With a plain codec the sums are copied once, into the frame.
EncodedFloats GradientEncoder::Encode(int64_t step, int slice, std::span<float* const> sums) {
  const int64_t n = table_[slice].size;
  if (sums.size() == 1 && !codec_.plain()) {
    const std::span<const float> sum(sums[0], static_cast<size_t>(n));
    if (table_[slice].by.EachAlone(workers_)) return EncodeWhole(codec_, step, sum, states_[slice]);
    return singa::Encode(codec_, step, sum, states_[slice]);
  }
  auto [frame, to] = NewFloats(static_cast<int64_t>(sums.size()) * n);
  for (const float* sum : sums) to = std::copy_n(sum, n, to);
  return singa::Encode(codec_, step, std::move(frame), states_[slice]);
}

int64_t GradientEncoder::StateBytes(const Codec& codec, int64_t elements, int64_t nodes) {
  return codec.states() * nodes * elements * static_cast<int64_t>(sizeof(float));
}

}  // namespace singa
