#include "comm/codec/sparse_floats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace singa {
namespace {

// Bytes of a gap: a varint, 7 bits in each byte, the lowest first.
int64_t GapBytes(int64_t gap) {
  int64_t bytes = 1;
  for (; gap >= 0x80; gap >>= 7) ++bytes;
  return bytes;
}

std::byte* WriteGap(int64_t gap, std::byte* to) {
  for (; gap >= 0x80; gap >>= 7) *to++ = static_cast<std::byte>(gap | 0x80);
  *to++ = static_cast<std::byte>(gap);
  return to;
}

// Reads a gap from the front of *bytes. Returns -1 if there is none of 4 bytes or fewer.
int64_t TakeGap(std::span<const std::byte>* bytes) {
  int64_t gap = 0;
  for (size_t i = 0; i < std::min<size_t>(4, bytes->size()); ++i) {
    const auto byte = std::to_integer<int64_t>((*bytes)[i]);
    gap |= (byte & 0x7F) << (7 * i);
    if (byte >= 0x80) continue;
    *bytes = bytes->subspan(i + 1);
    return gap;
  }
  return -1;
}

// Returns the bytes of those floats for which `sent` holds, one call each in their order.
template <typename Sent>
int64_t SparseBytes(std::span<const float> floats, Sent sent) {
  int64_t bytes = 0, next = 0;
  for (int64_t i = 0; i < std::ssize(floats); ++i) {
    if (!sent(floats[i])) continue;
    bytes += GapBytes(i - next) + static_cast<int64_t>(sizeof(float));
    next = i + 1;
  }
  return bytes;
}

// Holds for floats whose magnitude has bits above `bits`, and the first `ties` that have these.
struct IsLargest {
  bool operator()(float x) {
    const uint32_t magnitude = MagnitudeBits(x);
    return magnitude > bits || (magnitude == bits && ties-- > 0);
  }
  uint32_t bits;
  int64_t ties;
};

}  // namespace

uint32_t MagnitudeBits(float x) { return std::bit_cast<uint32_t>(x) & 0x7FFFFFFF; }

int64_t WriteLargest(std::span<const float> floats, const Largest& largest, std::span<float> rest,
                     std::byte* to) {
  IsLargest is_sent{largest.bits, largest.ties};
  const bool dense = SparseBytes(floats, is_sent) >= MostSparseBytes(std::ssize(floats));
  std::byte* at = to;
  int64_t next = 0;
  for (int64_t i = 0; i < std::ssize(floats); ++i) {
    const float x = floats[i];  // `rest` may be the same memory
    const bool sent = is_sent(x);
    if (!rest.empty()) rest[i] = sent ? 0 : x;
    if (!sent && !dense) continue;
    if (!dense) at = WriteGap(i - std::exchange(next, i + 1), at);
    const float value = sent ? x : 0;
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  }
  return at - to;
}

int64_t WriteAll(std::span<const float> floats, std::byte* to) {
  std::memcpy(to, floats.data(), floats.size_bytes());
  return MostSparseBytes(std::ssize(floats));
}

bool ReadSparse(std::span<const std::byte> bytes, std::span<float> floats) {
  if (bytes.size() == floats.size_bytes()) {
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    return true;
  }
  if (bytes.size() > floats.size_bytes()) return false;
  std::ranges::fill(floats, 0.f);
  for (int64_t next = 0; !bytes.empty(); ++next) {
    const int64_t gap = TakeGap(&bytes);
    next += gap;
    if (gap < 0 || next >= std::ssize(floats) || bytes.size() < sizeof(float)) return false;
    std::memcpy(&floats[next], bytes.data(), sizeof(float));
    bytes = bytes.subspan(sizeof(float));
  }
  return true;
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
