// Compares batch normalisation of a device's threads, run on the host, with the plain kernels.
// (Results that follow from the sums have one definition for both. The layer's tests cover it.)
#include "nn/neuron/batch_norm_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/elements.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

constexpr float kNoFloor = -std::numeric_limits<float>::infinity();

struct BatchNumbers {
  BatchNumbers(int64_t rows_, int64_t c_)
      : rows(rows_), c(c_), x(RandomValues("x", rows * c)), dy(RandomValues("dy", rows * c)) {
    for (size_t i = 0; i < x.size(); ++i) x[i] += 3;  // a mean that is not 0
  }
  BatchFunction Function(float floor) const { return {scale.data(), shift.data(), floor}; }

  int64_t rows, c;
  std::vector<float> x, dy, scale = RandomValues("scale", c), shift = RandomValues("shift", c),
                            mean = std::vector<float>(c, 3), of_g = RandomValues("g", c),
                            of_x = RandomValues("of x", c), rest = RandomValues("rest", c);
};

struct BatchSums {
  explicit BatchSums(int64_t c) : first(c), second(c) {}
  std::vector<double> first, second;
};

// Chunk is BatchMomentsChunk or BatchGradientChunk.
template <typename Chunk>
BatchSums SumOnBlocks(const BatchBlock& shape, const Chunk& chunk, const float* partial,
                      bool about_mean) {
  BatchSums sums(shape.c);
  RunBlocks(shape.blocks(), 64, [&chunk](const HostBlock& block, int64_t i) { chunk(block, i); });
  const BatchChannelSums join = {shape, partial, sums.first.data(), sums.second.data(), about_mean};
  RunBlocks(shape.c, 32, [&join](const HostBlock& block, int64_t j) { join(block, j); });
  return sums;
}

// Sums of up to 256 numbers of about `size` are float32. Larger sums are float64.
void ExpectBatchSums(const BatchSums& got, const BatchSums& want, int64_t rows, double size) {
  const double tolerance = 1e-6 * 16 * size * std::sqrt(static_cast<double>(rows));
  for (size_t j = 0; j < want.first.size(); ++j) {
    EXPECT_NEAR(got.first[j], want.first[j], tolerance) << j;
    EXPECT_NEAR(got.second[j], want.second[j], tolerance) << j;
  }
}

// The rows end within a chunk, fill one, or are fewer than the threads. Some channels lie beside
// the lanes.
const std::pair<int64_t, int64_t> kBatchSizes[] = {{1, 1},   {7, 3},    {256, 5},
                                                   {600, 2}, {300, 33}, {3, 70}};

TEST(BatchNormBlockTest, MomentsAreThePlainKernels) {
  Context ctx;
  ctx.plain = true;
  for (const auto& [rows, c] : kBatchSizes) {
    const BatchNumbers in(rows, c);
    BatchSums want(c);
    BatchMoments(ctx, in.x.data(), want.first.data(), want.second.data(), nullptr, rows, c);
    const BatchBlock shape = BatchBlock::Of(rows, c);
    std::vector<float> partial(BatchPartialSize(rows, c));
    ExpectBatchSums(SumOnBlocks(shape, BatchMomentsChunk{shape, in.x.data(), partial.data()},
                                partial.data(), true),
                    want, rows, 4);
  }
}

TEST(BatchNormBlockTest, GradientSumsAreThePlainKernels) {
  Context ctx;
  ctx.plain = true;
  for (const auto& [rows, c] : kBatchSizes)
    for (float floor : {0.f, kNoFloor}) {
      const BatchNumbers in(rows, c);
      BatchSums want(c);
      BatchGradientSums(ctx, in.x.data(), in.Function(floor), in.dy.data(), in.mean.data(),
                        want.first.data(), want.second.data(), nullptr, rows, c);
      const BatchBlock shape = BatchBlock::Of(rows, c);
      std::vector<float> partial(BatchPartialSize(rows, c));
      const BatchGradientChunk chunk = {shape,        in.x.data(),    in.Function(floor),
                                        in.dy.data(), in.mean.data(), partial.data()};
      ExpectBatchSums(SumOnBlocks(shape, chunk, partial.data(), false), want, rows, 1);
    }
}

TEST(BatchNormBlockTest, NaNStaysInItsChannel) {
  BatchNumbers in(300, 6);
  in.x[299 * 6 + 2] = std::nanf("");
  in.x[4] = std::numeric_limits<float>::infinity();
  const BatchBlock shape = BatchBlock::Of(300, 6);
  std::vector<float> partial(BatchPartialSize(300, 6));
  const BatchSums sums = SumOnBlocks(shape, BatchMomentsChunk{shape, in.x.data(), partial.data()},
                                     partial.data(), true);
  for (size_t j = 0; j < 6; ++j) {
    EXPECT_EQ(std::isfinite(sums.first[j]), j != 2 && j != 4);
    EXPECT_EQ(std::isnan(sums.second[j]), j == 2 || j == 4);
  }
}

TEST(BatchNormBlockTest, ElementsAreThePlainKernels) {
  Context ctx;
  ctx.plain = true;
  for (float floor : {0.f, kNoFloor}) {
    BatchNumbers in(5, 8);
    in.x[11] = std::nanf("");
    const BatchFunction f = in.Function(floor);
    std::vector<float> y(40), dx(40), fours(40), ones(40);
    const auto expect_same = [](const std::vector<float>& got, const std::vector<float>& want) {
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) << i;
    };
    BatchApply(ctx, in.x.data(), f, y.data(), 5, 8);
    RunElements(10, BatchApplyElement<4>{in.x.data(), f, fours.data(), 8});
    RunElements(40, BatchApplyElement<1>{in.x.data(), f, ones.data(), 8});
    expect_same(fours, y);
    expect_same(ones, y);
    const float *g = in.of_g.data(), *x = in.of_x.data(), *rest = in.rest.data();
    BatchGradient(ctx, in.x.data(), f, in.dy.data(), g, x, rest, dx.data(), 5, 8);
    RunElements(10,
                BatchGradientElement<4>{in.x.data(), f, in.dy.data(), g, x, rest, fours.data(), 8});
    RunElements(40,
                BatchGradientElement<1>{in.x.data(), f, in.dy.data(), g, x, rest, ones.data(), 8});
    expect_same(fours, dx);
    expect_same(ones, dx);
  }
}

}  // namespace
}  // namespace singa
