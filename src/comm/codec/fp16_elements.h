// The numbers of kFp16's form, for the host's codec (fp16.cc) and for devices (half_slices.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "math/elementwise/half.h"
#include "tensor/kernel/host_device.h"

namespace singa {

inline constexpr float kNoClip = std::numeric_limits<float>::max();
inline constexpr int kMostHalfExponent = 120;  // of the power of two, which must be a float

SINGA_HD inline bool IsFiniteFloat(float x) {
  return (std::bit_cast<uint32_t>(x) & 0x7F800000) != 0x7F800000;
}

// Returns 2^exponent. REQUIRES: it is a normal float.
SINGA_HD inline float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

// Returns the exponent of the power of two for floats of which `largest` is the largest magnitude.
SINGA_HD inline int HalfExponent(float largest) {
  constexpr int kExponent = 14;  // of the largest: 2^15 is below 65504, the largest float16
  if (largest == 0) return 0;
  const int of_largest = static_cast<int>(std::bit_cast<uint32_t>(largest) >> 23) - 127;
  const int exponent = kExponent - of_largest;
  return exponent > kMostHalfExponent    ? kMostHalfExponent
         : exponent < -kMostHalfExponent ? -kMostHalfExponent
                                         : exponent;
}

// Returns clamp(x, -clip, clip) times `factor` as float16. An infinity or NaN is not cut, so that
// its receivers find it.
SINGA_HD inline uint16_t CutHalf(float x, float clip, float factor) {
  const float low = x > clip ? clip : x;
  const float cut = low < -clip ? -clip : low;
  return Float16::From((IsFiniteFloat(x) ? cut : x) * factor);
}

}  // namespace singa
