// VectorExp and VectorTanh have no branches or calls, so that a loop over them becomes vector code.
// Results are within 2 units in the last place of the true value over the whole range, infinities
// and denormals included. NaN gives NaN.
//
// Coefficients: S. Moshier's Cephes library, expf and tanhf.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace singa {

// Returns 2^n. REQUIRES: -126 <= n <= 127.
inline float PowerOfTwo(int32_t n) {
  return std::bit_cast<float>((static_cast<uint32_t>(n) + 127u) << 23);
}

inline float VectorExp(float x) {
  constexpr float kLog2E = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kLow = -104, kHigh = 89;    // exp rounds to 0 and infinity from here on
  constexpr float kShift = 12582912;          // 1.5 2^23: adding it rounds to an integer
  constexpr int32_t kShiftBits = 0x4B400000;  // that number's bits
  x = x < kLow ? kLow : x;
  x = x > kHigh ? kHigh : x;
  const float shifted = x * kLog2E + kShift;
  const float n = shifted - kShift;
  const float r = x - n * kLn2High - n * kLn2Low;  // |r| <= ln 2 / 2
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1;
  // Multiplies by 2^n in two steps, since n may be too large or too small for one float's exponent.
  const auto exponent =
      static_cast<int32_t>(std::bit_cast<uint32_t>(shifted) - static_cast<uint32_t>(kShiftBits));
  const int32_t half = exponent >> 1;
  return p * PowerOfTwo(half) * PowerOfTwo(exponent - half);
}

inline float VectorTanh(float x) {
  const float a = std::abs(x);
  const float s = a * a;
  float p = -5.70498872745e-3f;
  p = p * s + 2.06390887954e-2f;
  p = p * s - 5.37397155531e-2f;
  p = p * s + 1.33314422036e-1f;
  p = p * s - 3.33332819422e-1f;
  const float near_zero = p * s * a + a;
  const float far = 1 - 2 / (VectorExp(2 * a) + 1);
  return std::copysign(a < 0.625f ? near_zero : far, x);
}

}  // namespace singa
