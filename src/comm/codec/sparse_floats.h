// SparseFloats are the bytes of floats most of which are 0: the indices of the others, ascending,
// and then these others. Where that takes no fewer bytes than all floats, it is all floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace singa {

// Returns the most bytes of n floats.
constexpr int64_t MostSparseBytes(int64_t n) { return n * static_cast<int64_t>(sizeof(float)); }

// Writes those of `floats` whose magnitude has bits above `bits`, and the first `ties` of those
// that have these bits; all others are 0. `count`: how many these are. If `rest` is not empty, sets
// it to the floats that are not written, and 0; it may be the memory of `floats`. Returns the
// number of bytes.
int64_t WriteLargest(std::span<const float> floats, uint32_t bits, int64_t ties, int64_t count,
                     std::span<float> rest, std::byte* to);

// Returns false if `bytes`, which a peer sent, are not n = floats.size() floats.
bool ReadSparse(std::span<const std::byte> bytes, std::span<float> floats);

// Returns the bits of x's magnitude, which grow with it.
uint32_t MagnitudeBits(float x);

// The `count` floats of largest magnitude, 1 <= count <= floats.size(): those above `bits`, and the
// first `ties` that have these bits.
struct Largest {
  uint32_t bits = 0;
  int64_t ties = 0;
};
Largest FindLargest(std::span<const float> floats, int64_t count);

}  // namespace singa
