// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3" (SC 2011). A number depends only on (seed, purpose, step, index), so every thread,
// worker and device computes the same number.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "singa/base/api.h"

namespace singa {

// Returns the FNV-1a hash of a layer's or param's undecorated name. It is the purpose of a stream.
constexpr uint32_t HashName(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

struct Philox {
  uint64_t seed = 0;
  uint32_t purpose = 0;
  uint32_t step = 0;

  // Returns four independent uniform 32-bit words; `block` is the element index / 4.
  constexpr std::array<uint32_t, 4> Block(uint64_t block) const {
    std::array<uint32_t, 4> x = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                                 step, purpose};
    uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * x[0], p1 = uint64_t{0xCD9E8D57u} * x[2];
      x = {static_cast<uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(p1),
           static_cast<uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(p0)};
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return x;
  }

  constexpr uint32_t Word(uint64_t index) const { return Block(index / 4)[index % 4]; }

  // Maps a word to [0, 1), with 24 bits.
  static constexpr float ToUniform(uint32_t word) {
    return static_cast<float>(word >> 8) * 0x1.0p-24f;
  }
  constexpr float Uniform(uint64_t index) const { return ToUniform(Word(index)); }

  // Returns a number in [0, n): the high 64 bits of word x n. Its bias is below n / 2^64. REQUIRES:
  // n > 0.
  constexpr uint64_t Below(uint64_t index, uint64_t n) const {
    const std::array<uint32_t, 4> x = Block(index);
    const uint64_t word = (uint64_t{x[0]} << 32) | x[1];
    return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >> 64);
  }

  // Makes numbers of N(0, 1) by the Box-Muller transform: words 2k and 2k + 1 make numbers 2k
  // (cosine) and 2k + 1 (sine).
  SINGA_API static void ToGaussian(uint32_t a, uint32_t b, float* even, float* odd);
  SINGA_API float Gaussian(uint64_t index) const;
};

}  // namespace singa
