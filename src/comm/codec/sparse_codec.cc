#include "comm/codec/sparse_codec.h"

#include "comm/codec/sparse_elements.h"
#include "math/cpu_dispatch.h"

namespace singa {
namespace {

// Adds x to the rest.
SINGA_CPU_CLONES void AddToRest(const float* __restrict x, int64_t n, float* __restrict rest) {
  for (int64_t i = 0; i < n; ++i) rest[i] = AddedToRest(x[i], rest[i]);
}

// Sets u = m u + x and adds u to the rest. If `masks`, u begins again where the rest is 0.
SINGA_CPU_CLONES_EXACT void AddMomentum(const float* __restrict x, int64_t n, float m, bool masks,
                                        float* __restrict rest, float* __restrict u) {
  for (int64_t i = 0; i < n; ++i) {
    const float sum = WithMomentum(x[i], m, u[i]);
    rest[i] += sum;
    u[i] = masks && rest[i] == 0 ? 0 : sum;
  }
}

// Sets u = m u + x.
SINGA_CPU_CLONES_EXACT void ApplyMomentum(const float* __restrict x, int64_t n, float m,
                                          float* __restrict u) {
  for (int64_t i = 0; i < n; ++i) u[i] = WithMomentum(x[i], m, u[i]);
}

void SetToZero(const Positions& positions, std::span<float> floats) {
  for (const uint32_t i : positions) floats[i] = 0;
}

}  // namespace

int64_t SparseCodec::Encode(int64_t step, std::span<const float> floats, std::span<float> state,
                            std::byte* to) const {
  if (!feeds_back_) return WriteSparse(floats, Choose(step, floats), to);
  const int64_t n = std::ssize(floats);
  const std::span<float> rest = state.first(n), u = state.subspan(n);
  if (momentum_ > 0)
    AddMomentum(floats.data(), n, momentum_, masks_, rest.data(), u.data());
  else
    AddToRest(floats.data(), n, rest.data());
  const Positions sent = Choose(step, rest);
  const int64_t bytes = WriteSparse(rest, sent, to);
  SetToZero(sent, rest);
  if (momentum_ > 0 && masks_) SetToZero(sent, u);
  return bytes;
}

int64_t SparseCodec::EncodeWhole(int64_t, std::span<const float> floats, std::span<float> state,
                                 std::byte* to) const {
  if (!feeds_back_ || momentum_ == 0) return WriteAll(floats, to);
  const std::span<float> u = state.subspan(floats.size());
  ApplyMomentum(floats.data(), std::ssize(floats), momentum_, u.data());
  return WriteAll(u, to);
}

int64_t SparseCodec::EncodeSum(std::span<const float> floats, std::byte* to) const {
  return WriteSparse(floats, PositionsFrom(floats, 1), to);
}

}  // namespace singa
