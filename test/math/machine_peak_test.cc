#include "math/machine_peak.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "singa/math/gemm.h"

namespace singa {
namespace {

// Operations per second of the fastest of some products of 384 x 384 matrices.
double GemmRate() {
  constexpr int64_t kSide = 384;
  const std::vector<float> a(kSide * kSide, 0.5f), b = a;
  std::vector<float> c = a;
  omp_set_num_threads(1);
  Context ctx;
  double best = 0;
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    Gemm(ctx, kSide, kSide, kSide, 1, {a.data(), kSide}, {b.data(), kSide}, 0, c.data(), kSide);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * kSide * kSide * kSide / seconds.count());
  }
  return best;
}

TEST(MachinePeak, IsMoreThanAProductOfMatricesReaches) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer slows the loop, and not the library";
#endif
  double peak = 0, gemm = 0;
  for (int i = 0; i < 5; ++i) {  // by turns: the clock of a core changes with time
    peak = std::max(peak, MeasureFmaPeak(1));
    gemm = std::max(gemm, GemmRate());
  }
  EXPECT_GT(1.1 * peak, gemm);
}

TEST(MachinePeak, GrowsWithThreads) {
  // As many threads as cores, or they take turns; with one core there is nothing to see.
  if (std::max(1, omp_get_num_procs()) < 2) GTEST_SKIP() << "one core";
  // Where others use the cores one look may see nothing of it; a peak is what is seen once.
  bool grows = false;
  for (int i = 0; i < 50 && !grows; ++i) grows = MeasureFmaPeak(2) > 1.3 * MeasureFmaPeak(1);
  EXPECT_TRUE(grows);
}

TEST(MachinePeak, CopiesAtLeastAGigabyteASecond) {
  EXPECT_GT(MeasureCopyBandwidth(1), 1e9);
  EXPECT_LT(MeasureCopyBandwidth(1), 1e13);
}

}  // namespace
}  // namespace singa
