// Converts numbers of 16 bits, bfloat16 and float16 (IEEE 754 binary16), which factors of products
// use.
#pragma once

#include <bit>
#include <cstdint>

#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// From returns the nearest number, the even one of two, and an infinity beyond the largest. NaN
// stays NaN, with the upper bits of its payload, as CPUs convert it.
struct BFloat16 {
  static SINGA_HD uint16_t From(float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
    return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
  static SINGA_HD float ToFloat(uint16_t half) {
    return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
  }
};

struct Float16 {
  static SINGA_HD uint16_t From(float x) {
    const auto bits = std::bit_cast<uint32_t>(x);
    const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
    if (size > 0x7F800000) return static_cast<uint16_t>(sign | 0x7E00 | (size >> 13 & 0x3FF));
    if (size >= kOverflow) return static_cast<uint16_t>(sign | 0x7C00);
    if (size < kSmallestNormal) {  // 0.5f + x has units of 2^-24, as these numbers have
      const auto sum = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5f);
      return static_cast<uint16_t>(sign | (sum - std::bit_cast<uint32_t>(0.5f)));
    }
    const uint32_t rounded = size + 0xFFF + (size >> 13 & 1);
    return static_cast<uint16_t>(sign | ((rounded >> 13) - (kBias << 10)));
  }
  static SINGA_HD float ToFloat(uint16_t half) {
    const uint32_t sign = (half & 0x8000u) << 16, size = half & 0x7FFFu;
    if (size >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000 | (size & 0x3FF) << 13);
    if (size < 0x400)
      return (sign ? -1.f : 1.f) * static_cast<float>(size) / static_cast<float>(1 << 24);
    return std::bit_cast<float>(sign | ((size << 13) + (kBias << 23)));
  }

 private:
  static constexpr uint32_t kBias = 127 - 15;
  static constexpr uint32_t kOverflow = 0x477FF000;  // 65520: halfway from the largest to 2^16
  static constexpr uint32_t kSmallestNormal = 0x38800000;  // 2^-14
};

// Returns x as a factor of `precision`. Only precisions of 16 bits round here.
SINGA_HD inline float Rounded(Precision precision, float x) {
  if (precision == Precision::kBFloat16) return BFloat16::ToFloat(BFloat16::From(x));
  if (precision == Precision::kFloat16) return Float16::ToFloat(Float16::From(x));
  return x;
}

// These convert x to the context's precision, which has 16 bits, and back. x, y: [n].
inline constinit Kernel<void(const float* x, uint16_t* y, int64_t n)> ToHalf{"ToHalf"};
inline constinit Kernel<void(const uint16_t* x, float* y, int64_t n)> FromHalf{"FromHalf"};

}  // namespace singa
