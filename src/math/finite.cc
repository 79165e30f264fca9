#include "math/finite.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"

namespace singa {
namespace {

constexpr int64_t kBlock = 4096;  // elements of one partial sum, and of one check for NaN
constexpr int64_t kLanes = 16;    // partial sums within a block
constexpr int64_t kRound = 1024;  // blocks whose sums are kept at a time

// An infinity or NaN has all bits of the exponent set.
SINGA_CPU_CLONES bool BlockFinite(const float* __restrict x, int64_t n) {
  constexpr uint32_t kExponent = 0x7F800000;
  uint32_t bad = 0;
  for (int64_t i = 0; i < n; ++i)
    bad |= (std::bit_cast<uint32_t>(x[i]) & kExponent) == kExponent ? 1u : 0u;
  return bad == 0;
}

// The square of a float is exact in float64, so fusing it with the sum changes nothing.
SINGA_CPU_CLONES double BlockSum(const float* __restrict x, int64_t n) {
  std::array<double, kLanes> lanes{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] += static_cast<double>(x[i + l]) * x[i + l];
  for (int64_t l = 0; i < n; ++i, ++l) lanes[l] += static_cast<double>(x[i]) * x[i];
  double sum = 0;
  for (double lane : lanes) sum += lane;
  return sum;
}

}  // namespace

bool AllFinite(const Context& ctx, const float* x, int64_t n) {
  CHECK(!ctx.stream) << "the host cannot read what a device computes";
  std::atomic<bool> all{true};
  ParallelSlices(ctx, n, kBlock, [&](int64_t begin, int64_t end) {
    for (; begin < end && all.load(std::memory_order_relaxed); begin += kBlock)
      if (!BlockFinite(x + begin, std::min(kBlock, end - begin))) all = false;
  });
  return all;
}

double SumOfSquares(const Context& ctx, const float* x, int64_t n) {
  CHECK(!ctx.stream) << "the host cannot read what a device computes";
  double sum = 0;
  std::array<double, kRound> sums;
  for (; n > 0; x += kRound * kBlock, n -= kRound * kBlock) {
    const int64_t round = std::min(n, kRound * kBlock);
    ParallelSlices(ctx, round, kBlock, [&](int64_t begin, int64_t end) {
      for (; begin < end; begin += kBlock)
        sums[begin / kBlock] = BlockSum(x + begin, std::min(kBlock, end - begin));
    });
    for (int64_t b = 0; b * kBlock < round; ++b) sum += sums[b];
  }
  return sum;
}

}  // namespace singa
