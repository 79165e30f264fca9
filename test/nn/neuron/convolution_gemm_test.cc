// Compares gradients by products of matrices with the plain kernel, for windows of every kind.
#include "nn/neuron/convolution_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/expect_close.h"
#include "support/random_values.h"

namespace singa {
namespace {

using Numbers = std::vector<float>;

struct GemmCase {
  ImageShape in;
  int64_t filters;
  WindowSide y, x;
  int threads = 1;
  int64_t groups = 1;
};

class ConvolutionGemmTest : public testing::TestWithParam<GemmCase> {
 protected:
  ConvolutionGemmTest() {
    const GemmCase& one = GetParam();
    desc_ = {.in = one.in,
             .out = {one.in.n, one.filters, one.y.Count(one.in.h), one.x.Count(one.in.w)},
             .window = {one.y, one.x},
             .bias = true,
             .groups = one.groups};
    ctx_.plain = true;
    ctx_.threads = one.threads;
    x_ = RandomValues("x", desc_.in.size());
    w_ = RandomValues("w", desc_.weight_size());
    b_ = RandomValues("b", desc_.out.c);
    dy_ = RandomValues("dy", desc_.out.size());
  }
  std::unique_ptr<ConvolutionPlan> Plain() { return MakeConvolution.Make(ctx_, desc_); }
  // Makes the plan. Its scratch is enough for the plain one, too.
  std::unique_ptr<ConvolutionPlan> ByGemm(GradientsByGemm which) {
    auto plan = GemmGradients(ctx_, desc_, which, Plain());
    MakeScratch(*plan);
    return plan;
  }
  void MakeScratch(const ConvolutionPlan& plan) {
    const int64_t bytes = std::max(plan.scratch_bytes(), Plain()->scratch_bytes());
    scratch_.assign(static_cast<size_t>(bytes) / sizeof(float) + 1, NAN);
    ctx_.scratch = scratch_.data();
  }
  Numbers Feature(ConvolutionPlan* plan) {
    Numbers y(dy_.size(), NAN);
    plan->Forward(ctx_, x_.data(), w_.data(), b_.data(), y.data());
    return y;
  }
  Numbers Data(ConvolutionPlan* plan) {
    Numbers dx(x_.size(), NAN);
    plan->BackwardData(ctx_, dy_.data(), w_.data(), dx.data());
    return dx;
  }
  // Returns the gradients of the weights and the bias, added to `before` times `beta`.
  Numbers Weights(ConvolutionPlan* plan, float beta, float before) {
    Numbers dw(w_.size() + static_cast<size_t>(desc_.out.c), before);
    plan->BackwardWeights(ctx_, x_.data(), dy_.data(), beta, dw.data(), beta,
                          dw.data() + w_.size());
    return dw;
  }

  ConvolutionDesc desc_;
  Context ctx_;
  Numbers x_, w_, b_, dy_, scratch_;
};
INSTANTIATE_TEST_SUITE_P(
    Windows, ConvolutionGemmTest,
    testing::Values(GemmCase{{2, 3, 5, 4}, 2, {3, 1, 1}, {3, 1, 1}},        // as large as the image
                    GemmCase{{1, 1, 4, 4}, 1, {1, 0, 1}, {1, 0, 1}},        // a pixel
                    GemmCase{{3, 2, 7, 6}, 5, {2, 0, 2}, {3, 2, 3}},        // not square, with gaps
                    GemmCase{{3, 2, 8, 9}, 5, {2, 1, 2, 3}, {3, 2, 1, 2}},  // dilated, padded
                    GemmCase{{2, 3, 7, 7}, 2, {3, 0, 1, 1}, {2, 0, 3, 4}},  // in a row alone
                    GemmCase{{2, 1, 3, 3}, 2, {3, 0, 1}, {3, 0, 1}},        // one window
                    GemmCase{{5, 2, 4, 4}, 3, {3, 2, 1}, {3, 2, 1}, 3},     // several threads
                    GemmCase{{2, 6, 5, 4}, 4, {3, 1, 2}, {2, 0, 1}, 1, 2}));  // in groups

TEST_P(ConvolutionGemmTest, GivesTheGradientOfTheImages) {
  const auto plan = ByGemm({.data = true});
  ExpectClose(Data(plan.get()), Data(Plain().get()), 2e-5);
}

TEST_P(ConvolutionGemmTest, GivesTheGradientsOfWeightsAndBias) {
  const auto plan = ByGemm({.weights = true});
  ExpectClose(Weights(plan.get(), 0, NAN), Weights(Plain().get(), 0, NAN), 2e-5);
}

TEST_P(ConvolutionGemmTest, AddsToGradientsOfBefore) {
  const auto plan = ByGemm({.weights = true});
  ExpectClose(Weights(plan.get(), 1, 3), Weights(Plain().get(), 1, 3), 2e-5);
}

TEST_P(ConvolutionGemmTest, LeavesTheRestToItsPlan) {
  const auto none = ByGemm({});
  EXPECT_EQ(Data(none.get()), Data(Plain().get()));
  EXPECT_EQ(Weights(none.get(), 0, NAN), Weights(Plain().get(), 0, NAN));
  EXPECT_EQ(Feature(none.get()), Feature(Plain().get()));
}

class ConvolutionByProductsTest : public ConvolutionGemmTest {};
INSTANTIATE_TEST_SUITE_P(
    Windows, ConvolutionByProductsTest,
    testing::Values(GemmCase{{3, 2, 8, 9}, 5, {2, 1, 2, 3}, {3, 2, 1, 2}},  // dilated, padded
                    GemmCase{{5, 2, 4, 4}, 3, {3, 2, 1}, {3, 2, 1}, 3},     // several threads
                    GemmCase{{2, 6, 5, 4}, 4, {3, 1, 2}, {2, 0, 1}, 1, 2},  // in groups
                    GemmCase{{1, 40, 20, 20}, 2, {3, 1, 1}, {3, 1, 1}}));   // beyond one matrix

TEST_P(ConvolutionByProductsTest, NeedsNoOtherPlan) {
  MakeScratch(*Plain());
  const Numbers want_y = Feature(Plain().get()), want_dx = Data(Plain().get()),
                want_dw = Weights(Plain().get(), 1, 3);
  ctx_.plain = false;  // the library's products
  const auto plan = GemmConvolution(ctx_, desc_, "library");
  MakeScratch(*plan);
  EXPECT_STREQ(plan->name(), "library");
  constexpr double kOfSums = 1e-4;  // of up to 400 products of N(0, 1)
  ExpectClose(Feature(plan.get()), want_y, kOfSums);
  ExpectClose(Data(plan.get()), want_dx, kOfSums);
  ExpectClose(Weights(plan.get(), 1, 3), want_dw, kOfSums);
}

TEST(ConvolutionGemmScratchTest, IsBoundedForALargeImage) {
  constexpr int64_t kSide = 500;
  const WindowSide side = {3, 1, 1};
  const ConvolutionDesc desc = {
      .in = {8, 64, kSide, kSide}, .out = {8, 64, kSide, kSide}, .window = {side, side}};
  Context ctx;
  ctx.threads = 2;
  EXPECT_LT(GemmConvolution(ctx, desc, "library")->scratch_bytes(), 4 << 20);
}

}  // namespace
}  // namespace singa
