// SparseFloats are the bytes of floats most of which are 0: for each other one the number of zeros
// before it, as a varint, and the float. Where that takes no fewer bytes than all floats, it is all
// floats. There are fewer than 2^28.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace singa {

// Returns the most bytes of n floats.
constexpr int64_t MostSparseBytes(int64_t n) { return n * static_cast<int64_t>(sizeof(float)); }

// Floats of largest magnitude: those whose magnitude has bits above `bits`, and the first `ties`
// that have these bits.
struct Largest {
  uint32_t bits = 0;
  int64_t ties = 0;
};

// Writes the largest of `floats`; all others are 0. If `rest` is not empty, sets it to the floats
// that are not written, and 0; it may be the memory of `floats`. Returns the number of bytes.
int64_t WriteLargest(std::span<const float> floats, const Largest& largest, std::span<float> rest,
                     std::byte* to);

// Writes all floats, as they are. Returns the number of bytes.
int64_t WriteAll(std::span<const float> floats, std::byte* to);

// Returns false if `bytes`, which a peer sent, are not n = floats.size() floats.
bool ReadSparse(std::span<const std::byte> bytes, std::span<float> floats);

// Returns the bits of x's magnitude, which grow with it.
uint32_t MagnitudeBits(float x);

// Returns the `count` floats of largest magnitude, 1 <= count <= floats.size().
Largest FindLargest(std::span<const float> floats, int64_t count);

}  // namespace singa
