#include "comm/codec/half_slices.h"

#include <algorithm>
#include <cmath>

#include "comm/codec/fp16_elements.h"
#include "math/reduction/tree_elements.h"

namespace singa {
namespace {

// Encodes floats[0..n).
void Write(const float* floats, int64_t n, float clip, uint16_t* code) {
  float largest = 0;
  for (int64_t i = 0; i < n; ++i)
    if (!std::isnan(floats[i])) largest = std::max(largest, std::abs(floats[i]));
  const int exponent = HalfExponent(std::min(largest, clip));
  code[0] = static_cast<uint16_t>(exponent);
  for (int64_t i = 0; i < n; ++i)
    code[HalfSlice::kHead + i] = CutHalf(floats[i], clip, PowerOfTwo(exponent));
}

float Read(const uint16_t* code, int64_t i) {
  const int exponent = static_cast<int16_t>(code[0]);
  return Float16::ToFloat(code[HalfSlice::kHead + i]) * PowerOfTwo(-exponent);
}

void Encode(Context&, const HalfSlice* slices, int64_t count, const float* floats, float clip,
            const StepState* state, uint16_t* codes) {
  const float most = clip > 0 ? clip * (state ? state->loss_scale : 1) : kNoClip;
  for (const HalfSlice& slice : std::span(slices, count))
    Write(floats + slice.begin, slice.n, most, codes + slice.at);
}

void AddUp(Context&, const HalfSlice* slices, int64_t count, HalfParts parts, float* floats,
           uint16_t* codes) {
  for (const HalfSlice& slice : std::span(slices, count)) {
    float* const sums = floats + slice.begin;
    for (int64_t i = 0; i < slice.n; ++i)
      sums[i] = SumOfTree(
          parts.ranks, [&](int rank) { return Read(parts.of[rank] + slice.at - parts.first, i); });
    Write(sums, slice.n, kNoClip, codes + slice.at);
  }
}

void Decode(Context&, const HalfSlice* slices, int64_t count, const uint16_t* codes,
            float* floats) {
  for (const HalfSlice& slice : std::span(slices, count))
    for (int64_t i = 0; i < slice.n; ++i) floats[slice.begin + i] = Read(codes + slice.at, i);
}

[[maybe_unused]] const bool registered = EncodeHalves.Set(Device::kCpu, Encode) &&
                                         AddUpHalves.Set(Device::kCpu, AddUp) &&
                                         DecodeHalves.Set(Device::kCpu, Decode);

}  // namespace
}  // namespace singa
