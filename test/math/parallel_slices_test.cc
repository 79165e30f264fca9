#include "math/parallel_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

namespace singa {
namespace {

constexpr int64_t kMany = 8 * kParallelElements;

TEST(ParallelSlices, CoversAllOnceAndNumbersTheSlices) {
  Context ctx;
  ctx.threads = 3;
  std::vector<char> seen(kMany);
  std::array<int64_t, 3> begins = {-1, -1, -1};
  ParallelSlices(ctx, kMany, 64, [&](int64_t begin, int64_t end, int64_t slice) {
    begins.at(slice) = begin;
    for (int64_t i = begin; i < end; ++i) ++seen[i];
  });
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), kMany);
  EXPECT_EQ(begins[0], 0);
}

// A program's own threads may call layers. The slices count from 0 in each thread.
TEST(ParallelSlices, CountsFromZeroInATeamOfTheCallers) {
  std::atomic<int64_t> most = 0, calls = 0;
#pragma omp parallel num_threads(3)
  {
    Context ctx;
    ctx.threads = 1;
    ParallelSlices(ctx, kMany, 64, [&](int64_t, int64_t, int64_t slice) {
      most = std::max<int64_t>(most, slice);
      ++calls;
    });
  }
  EXPECT_EQ(most, 0);
  EXPECT_GE(calls, 1);
}

}  // namespace
}  // namespace singa
