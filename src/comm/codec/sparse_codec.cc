#include "comm/codec/sparse_codec.h"

namespace singa {

// A rest of 0 leaves the bits of a float as they are, also those of -0.
int64_t SparseCodec::Encode(std::span<const float> floats, std::span<float> rest,
                            std::byte* to) const {
  std::span<const float> sums = floats;
  if (feeds_back_) {
    for (size_t i = 0; i < floats.size(); ++i)
      rest[i] = rest[i] == 0 ? floats[i] : floats[i] + rest[i];
    sums = rest;
  }
  return WriteLargest(sums, Choose(sums), feeds_back_ ? rest : std::span<float>(), to);
}

int64_t SparseCodec::EncodeSum(std::span<const float> floats, std::byte* to) const {
  return WriteLargest(floats, {}, {}, to);
}

}  // namespace singa
