#include "comm/codec/sparse_floats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace singa {
namespace {

constexpr int64_t kEntry = sizeof(uint32_t) + sizeof(float);  // an index and a float

// Sets all floats. Returns false if an index does not follow the one before, or is too large.
bool ReadEntries(const std::byte* indices, size_t count, std::span<float> floats) {
  const std::byte* const values = indices + count * sizeof(uint32_t);
  std::ranges::fill(floats, 0.f);
  int64_t last = -1;
  for (size_t i = 0; i < count; ++i) {
    uint32_t index;
    std::memcpy(&index, indices + i * sizeof index, sizeof index);
    if (index <= last || index >= floats.size()) return false;
    std::memcpy(&floats[index], values + i * sizeof(float), sizeof(float));
    last = index;
  }
  return true;
}

}  // namespace

uint32_t MagnitudeBits(float x) { return std::bit_cast<uint32_t>(x) & 0x7FFFFFFF; }

int64_t WriteLargest(std::span<const float> floats, uint32_t bits, int64_t ties, int64_t count,
                     std::span<float> rest, std::byte* to) {
  const auto n = static_cast<int64_t>(floats.size());
  const bool dense = count * kEntry >= MostSparseBytes(n);
  std::byte* indices = to;
  std::byte* values = to + (dense ? 0 : count * static_cast<int64_t>(sizeof(uint32_t)));
  for (int64_t i = 0; i < n; ++i) {
    const float x = floats[i];  // `rest` may be the same memory
    const bool sent = MagnitudeBits(x) > bits || (MagnitudeBits(x) == bits && ties-- > 0);
    if (!rest.empty()) rest[i] = sent ? 0 : x;
    if (!sent && !dense) continue;
    if (!dense) {
      const auto index = static_cast<uint32_t>(i);
      std::memcpy(indices, &index, sizeof index);
      indices += sizeof index;
    }
    const float value = sent ? x : 0;
    std::memcpy(values, &value, sizeof value);
    values += sizeof value;
  }
  return values - to;
}

bool ReadSparse(std::span<const std::byte> bytes, std::span<float> floats) {
  if (bytes.size() == floats.size_bytes()) {
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    return true;
  }
  if (bytes.size() > floats.size_bytes() || bytes.size() % kEntry != 0) return false;
  return ReadEntries(bytes.data(), bytes.size() / kEntry, floats);
}

// Finds 11, 11 and 9 bits of the smallest of them, one after the other.
Largest FindLargest(std::span<const float> floats, int64_t count) {
  uint32_t found = 0, known = 0;
  for (const auto& [shift, width] : {std::pair{20, 11}, {9, 11}, {0, 9}}) {
    const uint32_t most = (1u << width) - 1;
    std::array<int64_t, 1 << 11> counts = {};
    for (const float x : floats) {
      const uint32_t bits = MagnitudeBits(x);
      if ((bits & known) == found) ++counts[bits >> shift & most];
    }
    uint32_t digit = most;
    for (; counts[digit] < count; --digit) count -= counts[digit];
    found |= digit << shift;
    known |= most << shift;
  }
  return {found, count};
}

}  // namespace singa
