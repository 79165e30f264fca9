// These functions have no branches or calls, so that a loop over them becomes vector code. NaN
// gives NaN. VectorExp and VectorTanh are within 2 units in the last place of the true value over
// the whole range, infinities and denormals included. VectorNormal is within 6.
//
// Coefficients: S. Moshier's Cephes library, expf and tanhf; VectorNormal: fitted here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace singa {

// Returns 2^n. REQUIRES: -126 <= n <= 127.
inline float PowerOfTwo(int32_t n) {
  return std::bit_cast<float>((static_cast<uint32_t>(n) + 127u) << 23);
}

// A number x is n ln 2 + r with an integer n.
struct ReducedExponent {
  float shifted;  // n + kExpShift
  float r;        // |r| <= ln 2 / 2
};

inline constexpr float kExpShift = 12582912;  // 1.5 2^23: adding it rounds to an integer

// REQUIRES: 2^(n / 2) is a float. Other x give an unspecified number, or NaN.
inline ReducedExponent ReduceExponent(float x) {
  constexpr float kLog2E = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  const float shifted = x * kLog2E + kExpShift;
  const float n = shifted - kExpShift;
  return {shifted, x - n * kLn2High - n * kLn2Low};
}

inline float ExpOf(const ReducedExponent& x) {
  constexpr int32_t kShiftBits = 0x4B400000;  // the bits of kExpShift
  const float r = x.r;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1;
  // Multiplies by 2^n in two steps, since n may be too large or too small for one float's exponent.
  const auto exponent =
      static_cast<int32_t>(std::bit_cast<uint32_t>(x.shifted) - static_cast<uint32_t>(kShiftBits));
  const int32_t half = exponent >> 1;
  return p * PowerOfTwo(half) * PowerOfTwo(exponent - half);
}

inline float VectorExp(float x) {
  constexpr float kLow = -104, kHigh = 89;  // exp rounds to 0 and infinity from here on
  x = x < kLow ? kLow : x;
  x = x > kHigh ? kHigh : x;
  return ExpOf(ReduceExponent(x));
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

// The normal distribution N(0, 1) at a number x.
struct NormalAt {
  float below;    // the probability of numbers up to x
  float density;  // exp(-x^2 / 2) / sqrt(2 pi)
};

// The probability of numbers above t >= 0 is exp(-t^2 / 2) r p(2 r - 1) with r = k / (t + k), as in
// Abramowitz and Stegun, 26.2.17. This p has degree 8 and a relative error of 1.5e-8 up to t
// = 14.4.
inline NormalAt VectorNormal(float x) {
  constexpr float kFar = 14.5f;  // density and tail round to 0 from here on
  constexpr float kPole = 3.75f, kInverseRoot = 0.39894228f;  // 1 / sqrt(2 pi)
  const float t = std::abs(x);
  // The square of `head` is exact, so -t^2 / 2 is the sum of two floats.
  const float head = std::bit_cast<float>(std::bit_cast<uint32_t>(t) & 0xFFFFF000u);
  ReducedExponent exponent = ReduceExponent(-0.5f * (head * head));
  exponent.r -= 0.5f * ((t - head) * (t + head));
  // The choice comes after the exponential. If t were limited first, g++ would compute both sides
  // for each vector, and denormal numbers make one side slow.
  const float any = ExpOf(exponent), e = t > kFar ? 0 : any;
  const float r = kPole / (t + kPole);
  const float q = 2 * r - 1;
  float p = 1.18252632e-4f;
  p = p * q - 1.35899314e-4f;
  p = p * q - 1.11173934e-3f;
  p = p * q - 3.20019724e-4f;
  p = p * q + 9.99800212e-3f;
  p = p * q + 4.04055559e-2f;
  p = p * q + 9.41172278e-2f;
  p = p * q + 1.56850207e-1f;
  p = p * q + 2.00078420e-1f;
  const float tail = e * (r * p);
  return {x > 0 ? 1 - tail : tail, kInverseRoot * e};
}

}  // namespace singa
