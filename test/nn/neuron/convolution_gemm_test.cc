// Compares gradients by products of matrices with the plain kernel, for windows of every kind.
#include "nn/neuron/convolution_gemm.h"

#include <gtest/gtest.h>

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
};

class ConvolutionGemmTest : public testing::TestWithParam<GemmCase> {
 protected:
  ConvolutionGemmTest() {
    const GemmCase& one = GetParam();
    desc_ = {.in = one.in,
             .out = {one.in.n, one.filters, one.y.Count(one.in.h), one.x.Count(one.in.w)},
             .window = {one.y, one.x},
             .bias = true};
    ctx_.plain = true;
    ctx_.threads = one.threads;
    x_ = RandomValues("x", desc_.in.size());
    w_ = RandomValues("w", desc_.out.c * desc_.in.c * desc_.window.area());
    dy_ = RandomValues("dy", desc_.out.size());
  }
  std::unique_ptr<ConvolutionPlan> Plain() { return MakeConvolution.Make(ctx_, desc_); }
  // Makes the plan. Its scratch is enough for the plain one, too.
  std::unique_ptr<ConvolutionPlan> ByGemm(GradientsByGemm which) {
    auto plan = GemmGradients(ctx_, desc_, which, Plain());
    scratch_.assign(static_cast<size_t>(plan->scratch_bytes()) / sizeof(float) + 1, NAN);
    ctx_.scratch = scratch_.data();
    return plan;
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
  Numbers x_, w_, dy_, scratch_;
};
INSTANTIATE_TEST_SUITE_P(
    Windows, ConvolutionGemmTest,
    testing::Values(GemmCase{{2, 3, 5, 4}, 2, {3, 1, 1}, {3, 1, 1}},        // as large as the image
                    GemmCase{{1, 1, 4, 4}, 1, {1, 0, 1}, {1, 0, 1}},        // a pixel
                    GemmCase{{3, 2, 7, 6}, 5, {2, 0, 2}, {3, 2, 3}},        // not square, with gaps
                    GemmCase{{3, 2, 8, 9}, 5, {2, 1, 2, 3}, {3, 2, 1, 2}},  // dilated, padded
                    GemmCase{{2, 3, 7, 7}, 2, {3, 0, 1, 1}, {2, 0, 3, 4}},  // in a row alone
                    GemmCase{{2, 1, 3, 3}, 2, {3, 0, 1}, {3, 0, 1}},        // one window
                    GemmCase{{5, 2, 4, 4}, 3, {3, 2, 1}, {3, 2, 1}, 3}));   // several threads

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
  Numbers y(dy_.size()), want(dy_.size());
  const Numbers b(static_cast<size_t>(desc_.out.c), 2);
  none->Forward(ctx_, x_.data(), w_.data(), b.data(), y.data());
  Plain()->Forward(ctx_, x_.data(), w_.data(), b.data(), want.data());
  EXPECT_EQ(y, want);
}

}  // namespace
}  // namespace singa
