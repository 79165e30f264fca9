// SparseFloats are the bytes of floats most of which are 0: for each other one the number of zeros
// before it, as a varint, and the float. If that is not shorter, the bytes are the floats as they
// are. A slice has fewer than 2^28 floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace singa {

// Returns the most bytes of n floats.
constexpr int64_t MostSparseBytes(int64_t n) { return n * static_cast<int64_t>(sizeof(float)); }

// Writes the floats at the positions `sent`, which rise; all others are 0. Returns the number of
// bytes.
int64_t WriteSparse(std::span<const float> floats, std::span<const uint32_t> sent, std::byte* to);

// Writes all floats, as they are. Returns the number of bytes.
int64_t WriteAll(std::span<const float> floats, std::byte* to);

// Returns false if `bytes`, which a peer sent, are not n = floats.size() floats.
bool ReadSparse(std::span<const std::byte> bytes, std::span<float> floats);

}  // namespace singa
