// Tests the vector kernels of batch normalisation at the borders of the blocks of rows.
// batch_norm_test compares whole layers with the plain kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "nn/neuron/batch_norm.h"
#include "support/random_values.h"

namespace singa::batch_norm_vector {
namespace {

using Sums = std::vector<double>;
using Numbers = std::vector<float>;

constexpr int64_t kSizes[][2] = {{1, 1}, {255, 3}, {256, 17}, {257, 2}, {513, 1}, {700, 40}};
constexpr float kNoFloor = -std::numeric_limits<float>::infinity();

struct Batch {
  Batch(int64_t rows_, int64_t c_) : rows(rows_), c(c_) {}
  Context Ctx(bool plain, int threads) const {
    Context ctx;
    ctx.plain = plain;
    ctx.threads = threads;
    return ctx;
  }
  // Returns the sums, then the squares.
  Sums Moments(bool plain, int threads = 1) const {
    Context ctx = Ctx(plain, threads);
    Sums sums(2 * c);
    Numbers partial(BatchPartialSize(rows, c));
    BatchMoments(ctx, x.data(), sums.data(), sums.data() + c, partial.data(), rows, c);
    return sums;
  }
  Sums GradientSums(bool plain, float floor, int threads = 1) const {
    Context ctx = Ctx(plain, threads);
    Sums sums(2 * c);
    Numbers partial(BatchPartialSize(rows, c));
    BatchGradientSums(ctx, x.data(), {scale.data(), shift.data(), floor}, dy.data(), mean.data(),
                      sums.data(), sums.data() + c, partial.data(), rows, c);
    return sums;
  }

  int64_t rows, c;
  Numbers x = RandomValues("x", rows*c), dy = RandomValues("dy", rows*c),
          scale = RandomValues("scale", c), shift = RandomValues("shift", c),
          mean = RandomValues("mean", c);
};

// A block's sums are float32.
void ExpectClose(const Sums& got, const Sums& want, int64_t rows) {
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 1e-5 * std::sqrt(static_cast<double>(rows)) * 4) << i;
}

TEST(BatchNormVector, MomentsAreThoseOfThePlainKernelForAnyNumberOfRows) {
  for (const auto& [rows, c] : kSizes) {
    const Batch batch(rows, c);
    SCOPED_TRACE(rows);
    ExpectClose(batch.Moments(false), batch.Moments(true), rows);
  }
}

TEST(BatchNormVector, GradientSumsAreThoseOfThePlainKernelForAnyNumberOfRows) {
  for (const auto& [rows, c] : kSizes) {
    const Batch batch(rows, c);
    SCOPED_TRACE(rows);
    for (const float floor : {kNoFloor, 0.f})
      ExpectClose(batch.GradientSums(false, floor), batch.GradientSums(true, floor), rows);
  }
}

TEST(BatchNormVector, ThreadsChangeNoBit) {
  const Batch batch(5000, 30);
  EXPECT_EQ(batch.Moments(false, 3), batch.Moments(false));
  EXPECT_EQ(batch.GradientSums(false, 0, 3), batch.GradientSums(false, 0));
}

TEST(BatchNormVector, OneRowHasNoVariance) {
  const Batch batch(1, 20);
  const Sums moments = batch.Moments(false);
  for (int64_t j = 0; j < batch.c; ++j) {
    EXPECT_EQ(moments[j], batch.x[j]);
    EXPECT_EQ(moments[batch.c + j], 0);
  }
}

// The second channel has a NaN in the second block of rows.
TEST(BatchNormVector, ANumberThatIsNoneStaysInItsChannel) {
  Batch batch(300, 3);
  batch.x[280 * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
  const Sums moments = batch.Moments(false);
  for (size_t i = 0; i < moments.size(); ++i) EXPECT_EQ(std::isnan(moments[i]), i % 3 == 1) << i;
}

// With kReLU a gradient passes where the function is above 0.
TEST(BatchNormVector, TheFloorStopsTheGradientWhereItIsReached) {
  Batch batch(4, 1);
  batch.x = {-1, 0, 1, 2};
  batch.dy = {1, 10, 100, 1000};
  batch.scale = {2};
  batch.shift = {-2};
  batch.mean = {0};
  EXPECT_EQ(batch.GradientSums(false, 0)[0], 1000);  // 2 x - 2 is -4, -2, 0 and 2
  EXPECT_EQ(batch.GradientSums(false, kNoFloor)[0], 1111);
}

}  // namespace
}  // namespace singa::batch_norm_vector
