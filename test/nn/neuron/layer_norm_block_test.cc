// Compares layer normalisation of a device's threads, run on the host, with the plain kernels.
#include "nn/neuron/layer_norm_block.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/elements.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa::layer_norm_block {
namespace {

using Numbers = std::vector<float>;

void ExpectNear(const Numbers& got, const Numbers& want, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got[i], want[i], tolerance * std::max(1.f, std::abs(want[i]))) << what << i;
}

struct Rows {
  Rows(int64_t n_, int64_t d_) : n(n_), d(d_) {
    for (float& value : x) value += 3;  // a mean that is not 0
  }
  LayerNormRows moments() { return {mean.data(), inverse.data()}; }
  // Runs the plain kernel.
  void Forward() {
    LayerNormForward(plain, x.data(), scale.data(), shift.data(), 0.01f, y.data(), moments(), n, d);
  }

  int64_t n, d;
  Context plain = [] {
    Context ctx;
    ctx.plain = true;
    return ctx;
  }();
  Numbers x = RandomValues("x", n*d), dy = RandomValues("dy", n*d), scale = RandomValues("g", d),
          shift = RandomValues("b", d), y = Numbers(n * d), mean = Numbers(n), inverse = Numbers(n);
};

// Rows are shorter and longer than the threads are many. Blocks of rows are whole and cut.
constexpr int64_t kSizes[][2] = {{1, 1}, {3, 31}, {8, 32}, {9, 33}, {600, 5}, {70, 300}};

TEST(LayerNormBlock, FeatureIsThePlainKernels) {
  for (int threads : {32, 64})
    for (const auto& [n, d] : kSizes) {
      Rows rows(n, d);
      rows.Forward();
      Numbers y(n * d, NAN), mean(n, NAN), inverse(n, NAN);
      const LayerNormRow row = {rows.x.data(),
                                rows.scale.data(),
                                rows.shift.data(),
                                0.01f,
                                y.data(),
                                {mean.data(), inverse.data()},
                                d};
      RunBlocks(n, threads, row);
      ExpectNear(y, rows.y, 5e-6, "y");
      ExpectNear(mean, rows.mean, 1e-6, "mean");
      ExpectNear(inverse, rows.inverse, 1e-6, "inverse");
    }
}

TEST(LayerNormBlock, GradientsAreThePlainKernels) {
  for (int threads : {32, 64})
    for (const auto& [n, d] : kSizes)
      for (float beta : {0.f, 1.f}) {
        Rows rows(n, d);
        rows.Forward();
        const Numbers before = beta == 0 ? Numbers(d, NAN) : RandomValues("before", d);
        Numbers want_dx(n * d), want_dscale = before, want_dshift = before;
        LayerNormBackward(
            rows.plain, rows.x.data(), rows.scale.data(), rows.dy.data(), rows.moments(),
            {want_dx.data(), want_dscale.data(), beta, want_dshift.data(), beta}, nullptr, n, d);
        Numbers dx(n * d, NAN), dscale = before, dshift = before;
        RunBlocks(n, threads,
                  LayerNormGradientRow{rows.x.data(), rows.scale.data(), rows.dy.data(),
                                       rows.moments(), dx.data(), d});
        Numbers partial(LayerNormBlocks(n) * 2 * d, NAN);
        const LayerNormColumnSums sums = {
            rows.x.data(),        rows.dy.data(), rows.moments(), partial.data(), n, d,
            LayerNormBlockRows(n)};
        RunBlocks(sums.blocks(), threads, sums);
        const LayerNormGradients to = {nullptr, dscale.data(), beta, dshift.data(), beta};
        RunElements(d, LayerNormParamGradient{partial.data(), to, LayerNormBlocks(n), d});
        const double tolerance = 1e-6 * std::sqrt(static_cast<double>(n)) * 4;
        ExpectNear(dx, want_dx, 2e-5, "dx");
        ExpectNear(dscale, want_dscale, tolerance, "dscale");
        ExpectNear(dshift, want_dshift, tolerance, "dshift");
      }
}

TEST(LayerNormBlock, AParamWithoutAGradientIsLeftOut) {
  const Numbers partial = {1, 2, 3, 4};
  float sum = 7;
  RunElements(1, LayerNormParamGradient{partial.data(), {nullptr, nullptr, 0, &sum, 1}, 2, 1});
  EXPECT_EQ(sum, 7 + 2 + 4);
  RunElements(1, LayerNormParamGradient{partial.data(), {nullptr, &sum, 0, nullptr, 0}, 2, 1});
  EXPECT_EQ(sum, 1 + 3);
}

TEST(LayerNormBlock, BlocksOfRowsHoldAllRows) {
  for (int64_t n : {1, 7, 8, 9, 512, 513, 768, 16384, 16385, 100000}) {
    const int64_t rows = LayerNormBlockRows(n), blocks = LayerNormBlocks(n);
    EXPECT_GE(rows * blocks, n);
    EXPECT_LT(rows * (blocks - 1), n);
    EXPECT_LE(rows, 256);
  }
}

}  // namespace
}  // namespace singa::layer_norm_block
