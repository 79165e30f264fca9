// Compares every vector kernel of elementwise and softmax with its plain one, in place and over
// threads.
#include "math/elementwise/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "math/reduction/softmax.h"
#include "support/random_values.h"

namespace singa {
namespace {

using Values = std::vector<float>;
using Run = std::function<void(Context&, const float* a, const float* b, float* out, int64_t n)>;

Values RunWith(bool plain, int threads, const Run& run, const Values& a, const Values& b) {
  Context ctx;
  ctx.plain = plain;
  ctx.threads = threads;
  Values out(a.size(), -1);
  run(ctx, a.data(), b.data(), out.data(), static_cast<int64_t>(out.size()));
  return out;
}

void ExpectClose(const Values& got, const Values& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * std::max(1.f, std::abs(want[i]))) << "element " << i;
}

// `run` may write to a (in_place 0) or to b (in_place 1).
void ExpectVectorEqualsPlain(const Run& run, int in_place, float spread = 4) {
  for (int64_t n : {1, 7, 16, 33, 200 * 1000 + 3}) {
    SCOPED_TRACE(n);
    const Values a = RandomValues("a", n, spread), b = RandomValues("b", n);
    const Values plain = RunWith(true, 1, run, a, b), vector = RunWith(false, 1, run, a, b);
    ExpectClose(vector, plain, 1e-6);
    EXPECT_EQ(RunWith(false, 2, run, a, b), vector) << "over two threads";
    for (bool is_plain : {true, false}) {
      Context ctx;
      ctx.plain = is_plain;
      Values x = a, y = b;
      Values& out = in_place == 0 ? x : y;
      run(ctx, x.data(), y.data(), out.data(), n);
      EXPECT_EQ(out, is_plain ? plain : vector) << "in place";
    }
  }
}

TEST(ElementwiseTest, VectorReluEqualsPlain) {
  for (float slope : {0.f, 0.25f}) {
    ExpectVectorEqualsPlain([=](Context& ctx, const float* x, const float*, float* y,
                                int64_t n) { ReluForward(ctx, x, y, n, slope); },
                            0);
    ExpectVectorEqualsPlain([=](Context& ctx, const float* y, const float* dy, float* dx,
                                int64_t n) { ReluBackward(ctx, y, dy, dx, n, slope); },
                            1);
  }
}

TEST(ElementwiseTest, VectorSigmoidEqualsPlain) {
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float*, float* y,
                             int64_t n) { SigmoidForward(ctx, x, y, n); },
                          0);
  ExpectVectorEqualsPlain([](Context& ctx, const float* y, const float* dy, float* dx,
                             int64_t n) { SigmoidBackward(ctx, y, dy, dx, n); },
                          1);
}

TEST(ElementwiseTest, VectorTanhEqualsPlain) {
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float*, float* y,
                             int64_t n) { TanhForward(ctx, x, y, n, 1.7f, 0.6f); },
                          0);
  ExpectVectorEqualsPlain([](Context& ctx, const float* y, const float* dy, float* dx,
                             int64_t n) { TanhBackward(ctx, y, dy, dx, n, 1.7f, 0.6f); },
                          1, 1);
}

TEST(ElementwiseTest, VectorGeluEqualsPlain) {
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float*, float* y,
                             int64_t n) { GeluForward(ctx, x, y, n); },
                          0);
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float* dy, float* dx,
                             int64_t n) { GeluBackward(ctx, x, dy, dx, n); },
                          1);
}

TEST(ElementwiseTest, VectorSiluEqualsPlain) {
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float*, float* y,
                             int64_t n) { SiluForward(ctx, x, y, n); },
                          0);
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float* dy, float* dx,
                             int64_t n) { SiluBackward(ctx, x, dy, dx, n); },
                          1);
}

using SlopeKernel = Kernel<void(const float*, float*, float*, int64_t)>;

// The values may overwrite x; the slopes have memory of their own.
void ExpectVectorWithSlopeEqualsPlain(const SlopeKernel& with_slope) {
  ExpectVectorEqualsPlain(
      [&](Context& ctx, const float* x, const float*, float* y, int64_t n) {
        Values slope(n);
        with_slope(ctx, x, y, slope.data(), n);
      },
      0);
  ExpectVectorEqualsPlain(
      [&](Context& ctx, const float* x, const float*, float* slope, int64_t n) {
        Values y(x, x + n);
        with_slope(ctx, y.data(), y.data(), slope, n);
      },
      0);
}

TEST(ElementwiseTest, VectorWithSlopeEqualsPlain) {
  ExpectVectorWithSlopeEqualsPlain(GeluWithSlope);
  ExpectVectorWithSlopeEqualsPlain(SiluWithSlope);
}

// `forward` and `backward` are the slots of the same function.
template <typename Forward, typename Backward>
void ExpectValuesAndDerivatives(const SlopeKernel& with_slope, const Forward& forward,
                                const Backward& backward) {
  constexpr int64_t kNumbers = 1000;
  constexpr float kStep = 1e-2f;
  const Values x = RandomValues("x", kNumbers, 2), dy = RandomValues("dy", kNumbers);
  for (const bool plain : {true, false}) {
    Context ctx;
    ctx.plain = plain;
    Values y(kNumbers), slope(kNumbers), want(kNumbers), dx(kNumbers), above = x, below = x;
    with_slope(ctx, x.data(), y.data(), slope.data(), kNumbers);
    forward(ctx, x.data(), want.data(), kNumbers);
    ExpectClose(y, want, 1e-6);
    backward(ctx, x.data(), dy.data(), want.data(), kNumbers);
    Multiply(ctx, dy.data(), slope.data(), dx.data(), kNumbers);
    ExpectClose(dx, want, 1e-6);
    for (int64_t i = 0; i < kNumbers; ++i) above[i] += kStep, below[i] -= kStep;
    forward(ctx, above.data(), above.data(), kNumbers);
    forward(ctx, below.data(), below.data(), kNumbers);
    for (int64_t i = 0; i < kNumbers; ++i)
      ASSERT_NEAR(slope[i], (above[i] - below[i]) / (2 * kStep), 2e-4) << "at " << x[i];
  }
}

TEST(ElementwiseTest, ASlopeIsTheDerivativeOfItsFunction) {
  ExpectValuesAndDerivatives(GeluWithSlope, GeluForward, GeluBackward);
  ExpectValuesAndDerivatives(SiluWithSlope, SiluForward, SiluBackward);
}

TEST(ElementwiseTest, VectorRampEqualsPlain) {
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float*, float* y,
                             int64_t n) { RampForward(ctx, x, y, n, 0.4f, 0.3f, 0.8f); },
                          0);
  ExpectVectorEqualsPlain([](Context& ctx, const float* y, const float* dy, float* dx,
                             int64_t n) { RampBackward(ctx, y, dy, dx, n, 0.4f, 0.8f); },
                          1);
}

TEST(ElementwiseTest, VectorHardSwishEqualsPlain) {
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float*, float* y,
                             int64_t n) { HardSwishForward(ctx, x, y, n); },
                          0);
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float* dy, float* dx,
                             int64_t n) { HardSwishBackward(ctx, x, dy, dx, n); },
                          1);
}

// PyTorch passes no gradient at the ends of relu6 and of hardsigmoid.
TEST(ElementwiseTest, ARampIsFlatAtItsEnds) {
  const Values x = {-INFINITY, -1, 0, 3, 6, 7, INFINITY, NAN}, dy(x.size(), 1);
  const Values want = {0, 0, 0, 3, 6, 6, 6, NAN}, gradient = {0, 0, 0, 1, 0, 0, 0, 0};
  for (const bool plain : {true, false}) {
    Context ctx;
    ctx.plain = plain;
    const auto n = static_cast<int64_t>(x.size());
    Values y(n), dx(n);
    RampForward(ctx, x.data(), y.data(), n, 1, 0, 6);
    RampBackward(ctx, y.data(), dy.data(), dx.data(), n, 1, 6);
    EXPECT_TRUE(std::isnan(y.back()));
    EXPECT_EQ(Values(y.begin(), y.end() - 1), Values(want.begin(), want.end() - 1));
    EXPECT_EQ(dx, gradient);
  }
}

TEST(ElementwiseTest, HardSwishIsTheIdentityFarAboveZeroAndZeroFarBelow) {
  const Values x = {-1e38f, -4, -3, 3, 4, 1e38f}, dy(x.size(), 2);
  for (const bool plain : {true, false}) {
    Context ctx;
    ctx.plain = plain;
    const auto n = static_cast<int64_t>(x.size());
    Values y(n), dx(n);
    HardSwishForward(ctx, x.data(), y.data(), n);
    HardSwishBackward(ctx, x.data(), dy.data(), dx.data(), n);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(y[i], x[i] < 0 ? 0 : x[i], 1e-6) << x[i];
      EXPECT_EQ(dx[i], x[i] < 0 ? 0 : 2) << x[i];
    }
  }
}

// Far from 0 the functions are 0 or x, and their derivatives 0 or 1.
TEST(ElementwiseTest, GeluAndSiluAreFiniteFarFromZero) {
  const Values x = {-1e30f, -200, -90, -20, 20, 90, 200, 1e30f}, dy(x.size(), 1);
  for (const bool plain : {true, false}) {
    Context ctx;
    ctx.plain = plain;
    const auto n = static_cast<int64_t>(x.size());
    Values gelu(n), gelu_gradient(n), silu(n), silu_gradient(n);
    GeluForward(ctx, x.data(), gelu.data(), n);
    GeluBackward(ctx, x.data(), dy.data(), gelu_gradient.data(), n);
    SiluForward(ctx, x.data(), silu.data(), n);
    SiluBackward(ctx, x.data(), dy.data(), silu_gradient.data(), n);
    Values gelu_slope(n), silu_slope(n), y(n);
    GeluWithSlope(ctx, x.data(), y.data(), gelu_slope.data(), n);
    ExpectClose(y, gelu, 1e-7);
    ExpectClose(gelu_slope, gelu_gradient, 1e-7);
    SiluWithSlope(ctx, x.data(), y.data(), silu_slope.data(), n);
    ExpectClose(y, silu, 1e-7);
    ExpectClose(silu_slope, silu_gradient, 1e-7);
    for (size_t i = 0; i < x.size(); ++i) {
      const float far = x[i] < 0 ? 0 : x[i], slope = x[i] < 0 ? 0.f : 1.f;
      EXPECT_NEAR(gelu[i], far, 1e-7) << x[i];
      EXPECT_NEAR(silu[i], far, 1e-7 * std::abs(x[i])) << x[i];
      EXPECT_NEAR(gelu_gradient[i], slope, 1e-7) << x[i];
      EXPECT_NEAR(silu_gradient[i], slope, 1e-7) << x[i];
    }
  }
}

TEST(ElementwiseTest, VectorMultiplyEqualsPlain) {
  ExpectVectorEqualsPlain([](Context& ctx, const float* x, const float* m, float* y,
                             int64_t n) { Multiply(ctx, x, m, y, n); },
                          0);
}

TEST(ElementwiseTest, AddToAddsToWhatIsThere) {
  for (bool plain : {true, false}) {
    Context ctx;
    ctx.plain = plain;
    const Values x = {1, -2.5f, 0.25f};
    Values y = {10, 2.5f, -1, 7};
    AddTo(ctx, x.data(), y.data(), 3);
    EXPECT_EQ(y, (Values{11, 0, -0.75f, 7})) << "plain " << plain;
  }
}

TEST(ElementwiseTest, VectorAddToEqualsPlain) {
  for (int64_t n : {1, 7, 16, 33, 200 * 1000 + 3}) {
    const Values x = RandomValues("x", n, 4), y = RandomValues("y", n);
    Values want = y;
    for (int64_t i = 0; i < n; ++i) want[i] += x[i];
    for (bool plain : {true, false}) {
      Context ctx;
      ctx.plain = plain;
      ctx.threads = 2;
      Values sum = y;
      AddTo(ctx, x.data(), sum.data(), n);
      EXPECT_EQ(sum, want) << n << " numbers, plain " << plain;
    }
  }
}

TEST(SoftmaxKernelTest, VectorEqualsPlainForRowsOfAnyLength) {
  for (int64_t d : {1, 2, 10, 16, 1000, 100003}) {
    SCOPED_TRACE(d);
    const Values x = RandomValues("x", 3 * d, 4), dy = RandomValues("dy", 3 * d);
    const auto forward = [d](Context& ctx, const float* a, const float*, float* out, int64_t n) {
      SoftmaxForward(ctx, a, out, n / d, d);
    };
    const auto backward = [d](Context& ctx, const float* a, const float* b, float* out, int64_t n) {
      SoftmaxBackward(ctx, a, b, out, n / d, d);
    };
    const Values y = RunWith(true, 1, forward, x, dy);
    ExpectClose(RunWith(false, 1, forward, x, dy), y, 1e-6);
    EXPECT_EQ(RunWith(false, 2, forward, x, dy), RunWith(false, 1, forward, x, dy));
    ExpectClose(RunWith(false, 1, backward, y, dy), RunWith(true, 1, backward, y, dy), 1e-6);
    EXPECT_EQ(RunWith(false, 2, backward, y, dy), RunWith(false, 1, backward, y, dy));
  }
}

TEST(SoftmaxKernelTest, RowsWithoutASoftmaxBecomeNan) {
  for (bool plain : {true, false})
    for (const Values& row : {Values{NAN, 0, 1}, Values{0, NAN, 1}, Values{INFINITY, 0, 1},
                              Values{-INFINITY, -INFINITY, -INFINITY}}) {
      Context ctx;
      ctx.plain = plain;
      Values y(3);
      SoftmaxForward(ctx, row.data(), y.data(), 1, 3);
      for (float value : y) EXPECT_TRUE(std::isnan(value)) << "plain " << plain;
    }
}

}  // namespace
}  // namespace singa
