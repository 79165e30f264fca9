#include "comm/codec/largest_floats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "math/cpu_dispatch.h"

namespace singa {
namespace {

constexpr int64_t kFlagBlock = 1024;  // floats whose flags stay in the first-level cache
constexpr int64_t kGroup = 8;         // flags of a word

// Sets flags[i] to 1 if the magnitude of x[i] has bits above `below`, else to 0.
SINGA_CPU_CLONES void FlagAbove(const float* __restrict x, int64_t n, int32_t below,
                                uint8_t* __restrict flags) {
  for (int64_t i = 0; i < n; ++i)
    flags[i] = (std::bit_cast<int32_t>(x[i]) & 0x7FFFFFFF) > below ? 1 : 0;
}

// For each set of flags, which are bits here, the indices of those that are 1, and zeros.
constexpr std::array<std::array<uint8_t, kGroup>, 1 << kGroup> MakeIndices() {
  std::array<std::array<uint8_t, kGroup>, 1 << kGroup> indices = {};
  for (size_t flags = 0; flags < indices.size(); ++flags)
    for (size_t i = 0, count = 0; i < kGroup; ++i)
      if (flags >> i & 1) indices[flags][count++] = static_cast<uint8_t>(i);
  return indices;
}
constexpr auto kIndices = MakeIndices();

// Writes the positions first + i of the flags that are 1, and returns their number. n is a multiple
// of kGroup. It has no branches that depend on flags. Writes up to kGroup - 1 numbers more.
SINGA_CPU_CLONES int64_t WriteFlagged(const uint8_t* __restrict flags, int64_t n, uint32_t first,
                                      uint32_t* __restrict to) {
  constexpr uint64_t kBits = 0x0102040810204080;  // takes flag i to bit i of the highest byte
  constexpr uint64_t kSum = 0x0101010101010101;   // adds the flags up in the highest byte
  uint32_t* const begin = to;
  for (int64_t i = 0; i < n; i += kGroup) {
    uint64_t word;
    std::memcpy(&word, flags + i, sizeof word);
    const auto& indices = kIndices[word * kBits >> 56];
    for (int64_t j = 0; j < kGroup; ++j) to[j] = first + static_cast<uint32_t>(i) + indices[j];
    to += word * kSum >> 56;
  }
  return to - begin;
}

// The `ties` first ones of magnitudes that equal `bits`, and all above, are largest.
struct Bound {
  uint32_t bits = 0;
  int64_t ties = 0;

  // Takes each magnitude once, in their order. It has no branches.
  bool Accepts(uint32_t magnitude) {
    const int is_tie = magnitude == bits, has_ties = ties > 0;
    ties -= is_tie;
    return ((magnitude > bits) | (is_tie & has_ties)) != 0;
  }
};

// Finds the smallest and the largest of magnitudes.
SINGA_CPU_CLONES void FindRange(const uint32_t* __restrict x, int64_t n, uint32_t* low,
                                uint32_t* high) {
  int32_t least = 0x7FFFFFFF, most = 0;  // no magnitude has the sign's bit
  for (int64_t i = 0; i < n; ++i) {
    least = std::min(least, static_cast<int32_t>(x[i]));
    most = std::max(most, static_cast<int32_t>(x[i]));
  }
  *low = static_cast<uint32_t>(least);
  *high = static_cast<uint32_t>(most);
}

// Returns the bound of the `count` largest. Counts how many are in each part of their range, then
// orders those of one part.
Bound BoundOf(std::span<const uint32_t> magnitudes, int64_t count) {
  constexpr int kWidth = 11;  // 2^11 parts
  uint32_t low, high;
  FindRange(magnitudes.data(), std::ssize(magnitudes), &low, &high);
  const int shift = std::max(0, static_cast<int>(std::bit_width(high - low)) - kWidth);
  std::array<uint32_t, 1 << kWidth> counts = {};
  for (const uint32_t magnitude : magnitudes) ++counts[(magnitude - low) >> shift];
  uint32_t part = (high - low) >> shift;
  for (; counts[part] < count; --part) count -= counts[part];
  std::vector<uint32_t> found(counts[part] + 1);  // the last one takes what is not found
  size_t size = 0;
  for (const uint32_t magnitude : magnitudes) {
    found[size] = magnitude;
    size += (magnitude - low) >> shift == part ? 1 : 0;
  }
  found.pop_back();
  const auto bound = found.begin() + (count - 1);
  std::ranges::nth_element(found, bound, std::greater<>());
  const int64_t above = std::count_if(found.begin(), bound, [&](uint32_t x) { return x > *bound; });
  return {*bound, count - above};
}

// Returns bits that most likely some more than `count` magnitudes have or exceed, from a sample.
uint32_t GuessBound(std::span<const float> floats, int64_t count) {
  constexpr int64_t kRun = 16, kRuns = 128;  // floats of a cache line, and most lines
  const int64_t n = std::ssize(floats), apart = std::max(16 * kRun, n / kRuns);
  std::vector<uint32_t> sample;
  for (int64_t i = 0; i + kRun <= n; i += apart)
    for (int64_t j = i; j < i + kRun; ++j) sample.push_back(MagnitudeBits(floats[j]));
  const double share = static_cast<double>(count) / static_cast<double>(n);
  const double mean = share * static_cast<double>(sample.size());
  const auto more = static_cast<int64_t>(mean + 3 * std::sqrt(mean) + 4);
  return more < std::ssize(sample) ? BoundOf(sample, more).bits : 0;
}

}  // namespace

uint32_t MagnitudeBits(float x) { return std::bit_cast<uint32_t>(x) & 0x7FFFFFFF; }

Positions PositionsFrom(std::span<const float> floats, uint32_t least) {
  Positions positions;
  std::array<uint8_t, kFlagBlock> flags;
  std::array<uint32_t, kFlagBlock + kGroup> found;
  for (int64_t begin = 0; begin < std::ssize(floats); begin += kFlagBlock) {
    const int64_t n = std::min(kFlagBlock, std::ssize(floats) - begin);
    const int64_t groups = (n + kGroup - 1) / kGroup * kGroup;
    std::fill(flags.begin() + n, flags.begin() + groups, 0);
    FlagAbove(floats.data() + begin, n, static_cast<int32_t>(least) - 1, flags.data());
    const int64_t count =
        WriteFlagged(flags.data(), groups, static_cast<uint32_t>(begin), found.data());
    positions.insert(positions.end(), found.begin(), found.begin() + count);
  }
  return positions;
}

Positions PositionsOfLargest(std::span<const float> floats, int64_t count) {
  Positions positions = PositionsFrom(floats, GuessBound(floats, count));
  if (std::ssize(positions) < count) positions = PositionsFrom(floats, 0);
  std::vector<uint32_t> magnitudes(positions.size());
  for (size_t i = 0; i < positions.size(); ++i) magnitudes[i] = MagnitudeBits(floats[positions[i]]);
  Bound bound = BoundOf(magnitudes, count);
  size_t kept = 0;
  for (size_t i = 0; i < positions.size(); ++i) {
    positions[kept] = positions[i];
    kept += bound.Accepts(magnitudes[i]) ? 1 : 0;
  }
  positions.resize(kept);
  return positions;
}

}  // namespace singa
