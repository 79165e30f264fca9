#include "base/file/crc32c.h"

#include <array>
#include <cstring>

namespace singa {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78u;  // 0x1EDC6F41 with its bits reversed

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = MakeTable();

#if defined(__x86_64__)
constexpr size_t kRun = 1024;    // bytes
constexpr size_t kAhead = 4096;  // bytes that memory is fetched ahead of reading

// The effect of kRun bytes of 0 on a state, by each byte of the state. The effect is linear in the
// state's bits, so the effects of the bytes add up.
using RunTable = std::array<std::array<uint32_t, 256>, 4>;

constexpr RunTable MakeRunTable() {
  RunTable table{};
  for (int bit = 0; bit < 32; ++bit) {
    uint32_t state = uint32_t{1} << bit;
    for (size_t i = 0; i < kRun; ++i) state = (state >> 8) ^ kTable[state & 0xff];
    for (uint32_t byte = 0; byte < 256; ++byte)
      if (byte >> bit % 8 & 1) table[bit / 8][byte] ^= state;
  }
  return table;
}

constexpr RunTable kRunTable = MakeRunTable();

uint32_t PassRun(uint32_t state) {
  return kRunTable[0][state & 0xff] ^ kRunTable[1][state >> 8 & 0xff] ^
         kRunTable[2][state >> 16 & 0xff] ^ kRunTable[3][state >> 24];
}

__attribute__((target("sse4.2"))) inline uint64_t AddWord(uint64_t state, const unsigned char* p) {
  uint64_t word;
  std::memcpy(&word, p, 8);
  return __builtin_ia32_crc32di(state, word);
}

// Does three runs at a time, since the instruction takes 3 cycles and one may begin in each cycle.
// Fetching ahead makes this three times as fast for memory that is in no cache.
__attribute__((target("sse4.2"))) uint32_t AddRuns(uint32_t state, const unsigned char* p) {
  constexpr size_t kLine = 64;
  uint64_t first = state, second = 0, third = 0;
  for (size_t line = 0; line < kRun; line += kLine) {
    for (int i = 0; i < 3; ++i) __builtin_prefetch(p + kAhead + 3 * line + i * kLine);
    for (size_t i = line; i < line + kLine; i += 8) {
      first = AddWord(first, p + i);
      second = AddWord(second, p + kRun + i);
      third = AddWord(third, p + 2 * kRun + i);
    }
  }
  state = PassRun(static_cast<uint32_t>(first)) ^ static_cast<uint32_t>(second);
  return PassRun(state) ^ static_cast<uint32_t>(third);
}

__attribute__((target("sse4.2"))) uint32_t ExtendCrc32cSse42(uint32_t crc, const void* data,
                                                             size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  crc = ~crc;
  for (; bytes >= 3 * kRun; bytes -= 3 * kRun, p += 3 * kRun) crc = AddRuns(crc, p);
  uint64_t state = crc;
  for (; bytes >= 8; bytes -= 8, p += 8) state = AddWord(state, p);
  auto low = static_cast<uint32_t>(state);
  for (; bytes > 0; --bytes, ++p) low = __builtin_ia32_crc32qi(low, *p);
  return ~low;
}
#endif

}  // namespace

uint32_t ExtendCrc32cPlain(uint32_t crc, const void* data, size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  crc = ~crc;
  for (; bytes > 0; --bytes, ++p) crc = (crc >> 8) ^ kTable[(crc ^ *p) & 0xff];
  return ~crc;
}

uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t bytes) {
#if defined(__x86_64__)
  static const bool has_sse42 = __builtin_cpu_supports("sse4.2");
  if (has_sse42) return ExtendCrc32cSse42(crc, data, bytes);
#endif
  return ExtendCrc32cPlain(crc, data, bytes);
}

}  // namespace singa
