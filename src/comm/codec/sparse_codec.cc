#include "comm/codec/sparse_codec.h"

namespace singa {

int64_t SparseCodec::Encode(int64_t step, std::span<const float> floats, std::span<float> state,
                            std::byte* to) const {
  if (!feeds_back_) return WriteLargest(floats, Choose(step, floats), {}, to);
  const std::span<float> rest = state.first(floats.size()), u = state.subspan(floats.size());
  if (momentum_ > 0) {
    AddMomentum(floats, u);
    for (size_t i = 0; i < floats.size(); ++i) rest[i] += u[i];
  } else {  // a rest of 0 leaves the bits of a float as they are, also those of -0
    for (size_t i = 0; i < floats.size(); ++i)
      rest[i] = rest[i] == 0 ? floats[i] : floats[i] + rest[i];
  }
  const int64_t bytes = WriteLargest(rest, Choose(step, rest), rest, to);
  if (momentum_ > 0 && masks_)
    for (size_t i = 0; i < floats.size(); ++i)
      if (rest[i] == 0) u[i] = 0;
  return bytes;
}

int64_t SparseCodec::EncodeWhole(int64_t, std::span<const float> floats, std::span<float> state,
                                 std::byte* to) const {
  if (!feeds_back_ || momentum_ == 0) return WriteAll(floats, to);
  const std::span<float> u = state.subspan(floats.size());
  AddMomentum(floats, u);
  return WriteAll(u, to);
}

int64_t SparseCodec::EncodeSum(std::span<const float> floats, std::byte* to) const {
  return WriteLargest(floats, {}, {}, to);
}

}  // namespace singa
