// The transform of Box and Muller (1958) turns random words into normal numbers. It uses plain
// arithmetic and integer operations, so that loops of it become vector code with the bits of scalar
// code (compiled without FMA). The functions are constexpr, so that devices have them, too. They
// agree with std::log, cos and sin to 1e-6.
#pragma once

#include <bit>
#include <cstdint>

namespace singa {

// Returns -2 log(u), u = (the top 24 bits of `word` + 1) / 2^24, in (0, 1].
constexpr float MinusTwoLog(uint32_t word) {
  const float u = static_cast<float>(static_cast<int32_t>((word >> 8) + 1)) * 0x1.0p-24f;
  const uint32_t bits = std::bit_cast<uint32_t>(u);
  // u = 2^exponent m, m in [sqrt(1/2), sqrt(2)); 0x3F3504F3 are the bits of sqrt(1/2).
  const int32_t exponent = static_cast<int32_t>(bits - 0x3F3504F3u) >> 23;
  const float m = std::bit_cast<float>(bits - (static_cast<uint32_t>(exponent) << 23));
  // log m = 2 atanh(s), by its series; |s| < 0.172.
  const float s = (m - 1) / (m + 1), s2 = s * s;
  const float series = 1 + s2 * (1 / 3.f + s2 * (1 / 5.f + s2 * (1 / 7.f + s2 * (1 / 9.f))));
  return -4 * s * series - 1.38629436f * static_cast<float>(exponent);
}

// Computes the cosine and sine of 2 pi t, t = the top 24 bits of `word` / 2^24.
constexpr void CosSinOfTurn(uint32_t word, float* cosine, float* sine) {
  const uint32_t turn = word >> 8;
  const uint32_t quarter = (turn + (1u << 21)) >> 22;  // the nearest quarter turn, 0 to 4
  const float a = static_cast<float>(static_cast<int32_t>(turn - (quarter << 22))) *
                  (6.283185307f * 0x1.0p-24f);  // in [-pi/4, pi/4]
  const float a2 = a * a;
  // These are the Taylor series.
  const float s =
      a * (1 + a2 * (-1 / 6.f + a2 * (1 / 120.f + a2 * (-1 / 5040.f + a2 * (1 / 362880.f)))));
  const float c = 1 + a2 * (-1 / 2.f + a2 * (1 / 24.f + a2 * (-1 / 720.f + a2 * (1 / 40320.f))));
  // Quarter turns swap sine and cosine, and change signs.
  const uint32_t sign = 0x80000000u;
  const uint32_t cos_bits = std::bit_cast<uint32_t>(quarter & 1 ? s : c);
  const uint32_t sin_bits = std::bit_cast<uint32_t>(quarter & 1 ? c : s);
  *cosine = std::bit_cast<float>(cos_bits ^ ((quarter + 1) & 2 ? sign : 0));
  *sine = std::bit_cast<float>(sin_bits ^ (quarter & 2 ? sign : 0));
}

}  // namespace singa
