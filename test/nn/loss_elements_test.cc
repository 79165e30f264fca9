// Compares losses of a device's threads with the plain kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "math/reduction/softmax.h"
#include "math/reduction/top_k.h"
#include "nn/loss/class_weights.h"
#include "nn/loss/class_weights_elements.h"
#include "nn/loss/euclidean_loss.h"
#include "nn/loss/euclidean_loss_elements.h"
#include "nn/loss/r2.h"
#include "nn/loss/r2_elements.h"
#include "nn/loss/sigmoid_cross_entropy.h"
#include "nn/loss/sigmoid_cross_entropy_elements.h"
#include "nn/loss/softmax_loss.h"
#include "nn/loss/softmax_loss_elements.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

using LossValues = std::vector<float>;
constexpr int64_t kIgnored = -1;

TEST(EuclideanLossElementsTest, DistancesEqualPlain) {
  for (int threads : {32, 96})
    for (int64_t d : {1, 31, 33, 1000}) {
      const LossValues x = RandomValues("x", 3 * d, 4), t = RandomValues("t", 3 * d, 4);
      LossValues want(6), rows(6);
      Context ctx;
      RowDistances(ctx, x.data(), t.data(), want.data(), want.data() + 3, 3, d);
      RunBlocks(3, threads, DistanceRow{x.data(), t.data(), rows.data(), rows.data() + 3, d});
      // Float64 sums in another order may round to the next float.
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(rows[i], want[i], 1.2e-7 * want[i]);
    }
}

TEST(EuclideanLossElementsTest, DifferencesEqualPlain) {
  const LossValues x = RandomValues("x", 100, 4), t = RandomValues("t", 100, 4);
  LossValues want(100);
  Context ctx;
  ScaledDifference(ctx, x.data(), t.data(), want.data(), 100, 0.3f);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(DifferenceOf{0.3f}(x[i], t[i]), want[i]);
}

TEST(R2ElementsTest, ColumnSumsEqualPlain) {
  const LossValues x = RandomValues("x", 300, 4), t = RandomValues("t", 300, 4);
  std::vector<R2Sums> want(3), sums(3);
  Context ctx;
  for (int twice = 0; twice < 2; ++twice) {
    AddColumnSums(ctx, x.data(), t.data(), want.data(), 100, 3);
    RunBlocks(3, 64, SumColumn{x.data(), t.data(), sums.data(), 100, 3});
  }
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(sums[c].errors, want[c].errors, 1e-12 * want[c].errors);
    EXPECT_NEAR(sums[c].squares, want[c].squares, 1e-12 * want[c].squares);
    EXPECT_NEAR(sums[c].targets, want[c].targets, 1e-12 * want[c].squares);
    EXPECT_EQ(sums[c].rows, 200);
  }
}

TEST(SigmoidCrossEntropyElementsTest, SumsAndGradientsEqualPlain) {
  constexpr int64_t kRows = 19, kUnits = 67, kAll = kRows * kUnits;
  const LossValues x = RandomValues("x", kAll, 4), weight = RandomValues("w", kUnits, 1);
  LossValues t(kAll), want(kAll), dx(kAll, NAN);
  for (int64_t i = 0; i < kAll; ++i) t[i] = static_cast<float>(i % 5) / 4;
  Context ctx;
  ctx.plain = true;
  for (int64_t count : {int64_t{1}, kUnits}) {
    const PositiveWeights weights = {weight.data(), count};
    double cells[6] = {1, 2, 3, 4, 5, 6}, sums[6] = {1, 2, 3, 4, 5, 6};
    SigmoidCrossEntropy(ctx, x.data(), t.data(), weights, {cells, cells + 2, cells + 4}, kRows,
                        kUnits);
    std::vector<Sums<4>> partial(4);
    const SigmoidTerm term = {x.data(), t.data(), weights, kUnits};
    RunBlocks(4, 64, SumBlock<4, SigmoidTerm, StoreSums<4>>{term, kAll, 4, {partial.data()}});
    const AddToSigmoidCells add = {{sums, sums + 2, sums + 4}, double{kAll}};
    RunBlocks(1, 64, SumBlock<4, LoadSums<4>, AddToSigmoidCells>{{partial.data()}, 4, 1, add});
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(sums[i], cells[i], 1e-12 * std::abs(cells[i])) << i;
    SigmoidCrossEntropyBackward(ctx, x.data(), t.data(), weights, want.data(), kRows, kUnits, 0.3f);
    const SigmoidLossGradient gradient = {x.data(), t.data(), weights, dx.data(), kUnits, 0.3f};
    for (int64_t i = 0; i < kAll; ++i) gradient(i);
    EXPECT_EQ(dx, want);
  }
}

struct LossRows {
  LossRows(int64_t rows, int64_t classes)
      : n(rows), d(classes), p(n * d), label(RandomIndices<int32_t>(n, d)) {
    Context ctx;
    SoftmaxForward(ctx, RandomValues("x", n * d, 4).data(), p.data(), n, d);
    label[0] = 0;
    p[0] = 0;  // below FLT_MIN
  }
  int64_t n, d;
  LossValues p;
  std::vector<int32_t> label;
};

void ExpectPlainEntropy(const LossRows& rows, float smoothing, int64_t parts, int threads) {
  double want[2] = {1, 2}, cell[2] = {1, 2};
  Context ctx;
  CrossEntropy(ctx, rows.p.data(), rows.label.data(), kIgnored, want, rows.n, rows.d, smoothing,
               0.7);
  const EntropyTerm term = {rows.p.data(), rows.label.data(), kIgnored, rows.d, smoothing};
  const int64_t terms = EntropyTerm::terms(rows.n, rows.d, smoothing);
  std::vector<Sums<2>> partial(parts);
  RunBlocks(parts, threads,
            SumBlock<2, EntropyTerm, StoreSums<2>>{term, terms, parts, {partial.data()}});
  RunBlocks(1, threads,
            SumBlock<2, LoadSums<2>, AddToCell>{{partial.data()}, parts, 1, {cell, 0.7}});
  // Smoothing adds logarithms in float32.
  EXPECT_NEAR(cell[0], want[0], (smoothing > 0 ? 1e-7 : 1e-14) * std::abs(want[0]));
  EXPECT_EQ(cell[1], want[1]);
}

TEST(SoftmaxLossElementsTest, EntropyEqualsPlain) {
  for (float smoothing : {0.f, 0.1f})
    for (int64_t parts : {1, 4})
      for (int64_t d : {2, 10, 67}) ExpectPlainEntropy(LossRows(19, d), smoothing, parts, 64);
}

TEST(SoftmaxLossElementsTest, NanStaysNan) {
  const LossValues p = {NAN, 0.5f};
  const std::vector<int32_t> label = {0};
  for (float smoothing : {0.f, 0.1f})
    EXPECT_TRUE(std::isnan(EntropyTerm{p.data(), label.data(), kIgnored, 2, smoothing}(0)[0]));
}

TEST(SoftmaxLossElementsTest, WeightedSumsAndGradientsEqualPlain) {
  constexpr int64_t kSteps = 3, kAll = 21;
  for (float smoothing : {0.f, 0.1f})
    for (int64_t d : {2, 67}) {
      const LossRows rows(kAll, d);
      LossValues weight = RandomValues("w", d, 1);
      for (float& w : weight) w = std::abs(w);
      const ClassWeights weights = {weight.data(), 2.5f};
      const int32_t* const label = rows.label.data();
      double want[2] = {1, 2}, cell[2] = {1, 2}, totals[kSteps], total[kSteps];
      Context ctx;
      WeightedCrossEntropy(ctx, rows.p.data(), label, kIgnored, weights, want, kAll, d, smoothing,
                           0.7);
      const WeightedEntropyTerm term = {{rows.p.data(), label, kIgnored, d, smoothing},
                                        weight.data()};
      const int64_t terms = EntropyTerm::terms(kAll, d, smoothing);
      RunBlocks(1, 64, SumBlock<2, WeightedEntropyTerm, AddToCell>{term, terms, 1, {cell, 0.7}});
      EXPECT_NEAR(cell[0], want[0], 1e-12 * std::abs(want[0]));
      EXPECT_NEAR(cell[1], want[1], 1e-12 * want[1]);
      SumLabelWeights(ctx, label, kIgnored, weights, totals, kAll, kSteps);
      RunBlocks(kSteps, 32,
                LabelWeightsOfStep{label, kIgnored, weight.data(), total, kAll / kSteps});
      for (int t = 0; t < kSteps; ++t) EXPECT_NEAR(total[t], totals[t], 1e-12 * totals[t]);
      LossValues gradients(kAll * d), dx(kAll * d, NAN);
      WeightedSoftmaxLossBackward(ctx, rows.p.data(), label, kIgnored, weights, totals, kSteps,
                                  gradients.data(), kAll, d, 0.25f, smoothing);
      const WeightedSoftmaxLossGradient gradient = {
          rows.p.data(), label,     kIgnored, weights, totals,
          kAll / kSteps, dx.data(), d,        0.25f,   smoothing};
      for (int64_t i = 0; i < kAll * d; ++i) gradient(i);
      EXPECT_EQ(dx, gradients);
    }
}

TEST(SoftmaxLossElementsTest, GradientEqualsPlain) {
  for (float smoothing : {0.f, 0.1f})
    for (int64_t d : {2, 10, 67}) {
      const LossRows rows(19, d);
      LossValues want(rows.p.size()), dx(rows.p.size(), NAN);
      Context ctx;
      const float scale = 0.25f;
      SoftmaxLossBackward(ctx, rows.p.data(), rows.label.data(), kIgnored, want.data(), rows.n, d,
                          scale, smoothing);
      const float uniform = smoothing / static_cast<float>(d), own = uniform + (1 - smoothing);
      const SoftmaxLossGradient gradient = {
          rows.p.data(), rows.label.data(), kIgnored, dx.data(), d, scale, uniform, own};
      for (int64_t i = 0; i < rows.n * d; ++i) gradient(i);
      EXPECT_EQ(dx, want);
    }
}

}  // namespace
}  // namespace singa
