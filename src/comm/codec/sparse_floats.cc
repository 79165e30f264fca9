#include "comm/codec/sparse_floats.h"

#include <algorithm>
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

// Returns whether these of n floats take fewer bytes than all of them.
bool IsShorter(std::span<const uint32_t> sent, int64_t n) {
  if (2 * std::ssize(sent) < n) return true;  // since a gap takes 4 bytes at most
  int64_t bytes = 0, next = 0;
  for (const int64_t at : sent)
    bytes += GapBytes(at - std::exchange(next, at + 1)) + int64_t{sizeof(float)};
  return bytes < MostSparseBytes(n);
}

}  // namespace

int64_t WriteSparse(std::span<const float> floats, std::span<const uint32_t> sent, std::byte* to) {
  const auto n = std::ssize(floats);
  if (!IsShorter(sent, n)) {
    std::fill_n(to, MostSparseBytes(n), std::byte{0});
    for (const size_t at : sent) std::memcpy(to + at * sizeof(float), &floats[at], sizeof(float));
    return MostSparseBytes(n);
  }
  std::byte* const begin = to;
  int64_t next = 0;
  for (const int64_t at : sent) {
    to = WriteGap(at - std::exchange(next, at + 1), to);
    std::memcpy(to, &floats[at], sizeof(float));
    to += sizeof(float);
  }
  return to - begin;
}

int64_t WriteAll(std::span<const float> floats, std::byte* to) {
  std::ranges::copy(std::as_bytes(floats), to);
  return MostSparseBytes(std::ssize(floats));
}

bool ReadSparse(std::span<const std::byte> bytes, std::span<float> floats) {
  if (bytes.size() == floats.size_bytes()) {
    std::ranges::copy(bytes, std::as_writable_bytes(floats).data());
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

}  // namespace singa
