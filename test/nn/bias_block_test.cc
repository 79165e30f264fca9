// Compares biases of inner products, added by a device's threads, with the plain kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nn/neuron/inner_product.h"
#include "nn/neuron/inner_product_block.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

using BiasValues = std::vector<float>;

TEST(BiasBlockTest, AddsToEachRow) {
  for (int64_t h : {1, 3, 4, 12, 20}) {
    constexpr int64_t kRows = 5;
    const BiasValues b = RandomValues("b", h), y = RandomValues("y", kRows * h);
    BiasValues want = y, one_by_one = y;
    Context ctx;
    AddBias(ctx, b.data(), want.data(), kRows, h);
    for (int64_t i = 0; i < kRows * h; ++i) AddBiasOne{b.data(), one_by_one.data(), h}(i);
    EXPECT_EQ(one_by_one, want);
    if (h % 4) continue;
    alignas(16) float aligned_b[20], aligned_y[kRows * 20];
    std::copy(b.begin(), b.end(), aligned_b);
    std::copy(y.begin(), y.end(), aligned_y);
    for (int64_t q = 0; q < kRows * h / 4; ++q) AddBiasFour{aligned_b, aligned_y, h}(q);
    EXPECT_EQ(BiasValues(aligned_y, aligned_y + kRows * h), want);
  }
}

// Sums as the launches do: first parts, then the sum of the parts.
BiasValues SumInParts(const BiasValues& dy, float beta, const BiasValues& before, int64_t n,
                      int64_t h, int64_t parts, int threads) {
  BiasValues db = before, partial(parts * h, NAN);
  if (parts == 1) {
    const ColumnSums sums = {dy.data(), beta, db.data(), n, h, 1};
    RunBlocks(sums.blocks(), threads, sums);
    return db;
  }
  const ColumnSums sums = {dy.data(), 0, partial.data(), n, h, parts};
  RunBlocks(sums.blocks(), threads, sums);
  const ColumnSums last = {partial.data(), beta, db.data(), parts, h, 1};
  RunBlocks(last.blocks(), threads, last);
  return db;
}

TEST(BiasBlockTest, SumsOfColumnsEqualPlain) {
  for (int64_t n : {1, 7, 333})
    for (int64_t h : {1, 31, 32, 70})
      for (int64_t parts : {1, 5})
        for (int threads : {32, 128})
          for (float beta : {0.f, 1.f}) {
            const BiasValues dy = RandomValues("dy", n * h);
            const BiasValues before = beta == 0 ? BiasValues(h, NAN) : RandomValues("db", h);
            BiasValues want = before;
            Context ctx;
            SumBiasGradient(ctx, dy.data(), beta, want.data(), n, h);
            const BiasValues db = SumInParts(dy, beta, before, n, h, parts, threads);
            const double tolerance = 1e-6 * std::sqrt(static_cast<double>(n));
            for (int64_t j = 0; j < h; ++j)
              ASSERT_NEAR(db[j], want[j], tolerance * std::max(1.f, std::abs(want[j])))
                  << n << " x " << h << " in " << parts;
          }
}

TEST(BiasBlockTest, SumsOfColumnsHaveTheSameBitsEachTime) {
  const BiasValues dy = RandomValues("dy", 333 * 40), before(40);
  EXPECT_EQ(SumInParts(dy, 0, before, 333, 40, 5, 128), SumInParts(dy, 0, before, 333, 40, 5, 128));
}

}  // namespace
}  // namespace singa
