// Compares a device's results for math/elementwise/elementwise.h with the plain kernels, element by
// element and four at a time.
#include "math/elementwise/map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "math/elementwise/elementwise.h"
#include "math/elementwise/elementwise_elements.h"
#include "support/elements.h"
#include "support/random_values.h"

namespace singa {
namespace {

using Values = std::vector<float>;

// Returns random numbers. In front are numbers with rules of their own.
Values MapNumbers(int64_t n) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Values special = {0.f, -0.f, kInf, -kInf, std::numeric_limits<float>::quiet_NaN(), 1e-40f};
  Values x = RandomValues("x", n, 3);
  std::copy_n(special.begin(), std::min(special.size(), x.size()), x.begin());
  return x;
}

void ExpectSameOrNan(const Values& got, const Values& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])))
        << got[i] << ", not " << want[i] << ", at " << i;
}

template <typename F, size_t N>
Values Mapped(const F& f, const std::array<const float*, N>& x, int64_t n, bool fours) {
  struct Aligned {
    alignas(16) float v[4];
  };
  std::vector<Aligned> memory(n / 4 + 2);
  float* const y = memory[0].v;
  const Map<F, N> map = {f, x, y};
  const int64_t guard = n;
  y[guard] = 7;
  if (fours) {
    for (int64_t q = (n + 3) / 4 - 1; q >= 0; --q) MapFours<F, N>{map, n}(q);
  } else {
    for (int64_t i = n - 1; i >= 0; --i) map(i);
  }
  EXPECT_EQ(y[guard], 7) << "writes beyond its end";
  return {y, y + n};
}

// `plain` computes y from x.
template <typename F>
void ExpectOfOne(const F& f, void (*plain)(Context&, const float*, float*, int64_t)) {
  for (int64_t n : {0, 1, 3, 4, 7, 1029}) {
    const Values x = MapNumbers(n + 4);
    Values want(n);
    Context ctx;
    ctx.plain = true;
    plain(ctx, x.data(), want.data(), n);
    for (bool fours : {false, true}) ExpectSameOrNan(Mapped<F, 1>(f, {x.data()}, n, fours), want);
  }
}

template <typename F>
void ExpectOfTwo(const F& f, void (*plain)(Context&, const float*, const float*, float*, int64_t)) {
  for (int64_t n : {0, 1, 3, 4, 7, 1029}) {
    const Values a = MapNumbers(n + 4), b = RandomValues("b", n + 4, 3);
    Values want(n);
    Context ctx;
    ctx.plain = true;
    plain(ctx, a.data(), b.data(), want.data(), n);
    for (bool fours : {false, true})
      ExpectSameOrNan(Mapped<F, 2>(f, {a.data(), b.data()}, n, fours), want);
  }
}

TEST(MapTest, ReluEqualsPlain) {
  ExpectOfOne(ReluOf{0}, [](Context& ctx, const float* x, float* y, int64_t n) {
    ReluForward(ctx, x, y, n, 0);
  });
  ExpectOfOne(ReluOf{0.25f}, [](Context& ctx, const float* x, float* y, int64_t n) {
    ReluForward(ctx, x, y, n, 0.25f);
  });
  ExpectOfTwo(ReluGradientOf{0.25f}, [](Context& ctx, const float* y, const float* dy, float* dx,
                                        int64_t n) { ReluBackward(ctx, y, dy, dx, n, 0.25f); });
}

TEST(MapTest, ReluOfMinusInfinityIsZeroAndOfNanNan) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(ReluOf{0}(-kInf), 0);
  EXPECT_EQ(ReluOf{0.5f}(-kInf), -kInf);
  EXPECT_TRUE(std::isnan(ReluOf{0}(std::numeric_limits<float>::quiet_NaN())));
}

TEST(MapTest, SigmoidEqualsPlain) {
  ExpectOfOne(SigmoidOf(), [](Context& ctx, const float* x, float* y, int64_t n) {
    SigmoidForward(ctx, x, y, n);
  });
  ExpectOfTwo(SigmoidGradientOf(), [](Context& ctx, const float* y, const float* dy, float* dx,
                                      int64_t n) { SigmoidBackward(ctx, y, dy, dx, n); });
}

TEST(MapTest, TanhEqualsPlain) {
  ExpectOfOne(TanhOf{1.7f, 0.6f}, [](Context& ctx, const float* x, float* y, int64_t n) {
    TanhForward(ctx, x, y, n, 1.7f, 0.6f);
  });
  ExpectOfTwo(TanhGradientOf{1.7f, 0.6f},
              [](Context& ctx, const float* y, const float* dy, float* dx, int64_t n) {
                TanhBackward(ctx, y, dy, dx, n, 1.7f, 0.6f);
              });
}

TEST(MapTest, GeluAndSiluEqualPlain) {
  ExpectOfOne(GeluOf(),
              [](Context& ctx, const float* x, float* y, int64_t n) { GeluForward(ctx, x, y, n); });
  ExpectOfTwo(GeluGradientOf(), [](Context& ctx, const float* x, const float* dy, float* dx,
                                   int64_t n) { GeluBackward(ctx, x, dy, dx, n); });
  ExpectOfOne(SiluOf(),
              [](Context& ctx, const float* x, float* y, int64_t n) { SiluForward(ctx, x, y, n); });
  ExpectOfTwo(SiluGradientOf(), [](Context& ctx, const float* x, const float* dy, float* dx,
                                   int64_t n) { SiluBackward(ctx, x, dy, dx, n); });
}

// `plain` is the slot of `f`.
template <typename F>
void ExpectWithSlope(const F& f, const Kernel<void(const float*, float*, float*, int64_t)>& plain) {
  constexpr int64_t kNumbers = 1028;
  const Values x = MapNumbers(kNumbers);
  Values want(kNumbers), want_slope(kNumbers), y(kNumbers), slope(kNumbers);
  Context ctx;
  ctx.plain = true;
  plain(ctx, x.data(), want.data(), want_slope.data(), kNumbers);
  RunElements(kNumbers, WithSlope<F, 1>{f, x.data(), y.data(), slope.data()});
  ExpectSameOrNan(y, want);
  ExpectSameOrNan(slope, want_slope);
  y = x;  // in place, four at a time
  RunElements(kNumbers / 4, WithSlope<F, 4>{f, y.data(), y.data(), slope.data()});
  ExpectSameOrNan(y, want);
  ExpectSameOrNan(slope, want_slope);
}

TEST(MapTest, ValuesWithSlopesEqualPlain) {
  ExpectWithSlope(GeluWithSlopeOf(), GeluWithSlope);
  ExpectWithSlope(SiluWithSlopeOf(), SiluWithSlope);
}

TEST(MapTest, RampAndHardSwishEqualPlain) {
  ExpectOfOne(RampOf{0.4f, 0.3f, 0.8f}, [](Context& ctx, const float* x, float* y, int64_t n) {
    RampForward(ctx, x, y, n, 0.4f, 0.3f, 0.8f);
  });
  ExpectOfTwo(RampGradientOf{0.4f, 0.8f},
              [](Context& ctx, const float* y, const float* dy, float* dx, int64_t n) {
                RampBackward(ctx, y, dy, dx, n, 0.4f, 0.8f);
              });
  ExpectOfOne(HardSwishOf(), [](Context& ctx, const float* x, float* y, int64_t n) {
    HardSwishForward(ctx, x, y, n);
  });
  ExpectOfTwo(HardSwishGradientOf(), [](Context& ctx, const float* x, const float* dy, float* dx,
                                        int64_t n) { HardSwishBackward(ctx, x, dy, dx, n); });
}

TEST(MapTest, ProductAndSumEqualPlain) {
  ExpectOfTwo(ProductOf(), [](Context& ctx, const float* x, const float* m, float* y, int64_t n) {
    Multiply(ctx, x, m, y, n);
  });
  ExpectOfTwo(SumOf(), [](Context& ctx, const float* x, const float* before, float* y, int64_t n) {
    std::copy_n(before, n, y);
    AddTo(ctx, x, y, n);
  });
}

TEST(MapTest, WritesInPlace) {
  alignas(16) float x[6] = {-1, 2, -3, 4, -5, 6};
  const MapFours<ReluOf, 1> map = {{{0}, {x}, x}, 6};
  map(0);
  map(1);
  EXPECT_EQ(Values(x, x + 6), Values({0, 2, 0, 4, 0, 6}));
}

TEST(MapTest, FoursAreTakenFromMultiplesOfSixteenBytes) {
  alignas(16) float x[8];
  EXPECT_TRUE(AlignedTo<4>(x));
  EXPECT_TRUE(AlignedTo<4>(x + 4));
  for (int i : {1, 2, 3}) EXPECT_FALSE(AlignedTo<4>(x + i));
}

}  // namespace
}  // namespace singa
