// Compares the kernels of kEltwise with the plain ones: vector code, and threads of a device that
// run on the host.
#include "nn/neuron/eltwise_elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "nn/neuron/eltwise.h"
#include "support/elements.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace eltwise_elements_test {

using Values = std::vector<float>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int64_t kLarge = 200 * 1000 + 3;  // enough for two threads
const int64_t kSizes[] = {1, 4, 7, 16, 33, kLarge};

// Returns small whole numbers, of which many are equal, and NaN.
Values Ties(const char* name, int64_t n) {
  Values x = RandomValues(name, n, 2);
  for (float& value : x) value = std::round(value);
  x[static_cast<size_t>(n / 2)] = std::numeric_limits<float>::quiet_NaN();
  return x;
}

void ExpectSame(const Values& got, const Values& want, double tolerance = 0) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    ASSERT_NEAR(got[i], want[i], tolerance * std::max(1.f, std::abs(want[i]))) << i;
  }
}

// Calls f(ctx) with a context for each other kind of kernel of the CPU.
template <typename F>
void WithEachVectorKernel(const F& f) {
  for (const int threads : {1, 2}) {
    Context ctx;
    ctx.threads = threads;
    f(ctx);
  }
}

Context Plain() {
  Context ctx;
  ctx.plain = true;
  return ctx;
}

TEST(EltwiseKernels, SumsEqualPlain) {
  Context plain = Plain();
  for (const int64_t n : kSizes)
    for (const float floor : {-kInf, 0.f}) {
      const Values a = RandomValues("a", n), b = Ties("b", n);
      Values want(n), got(n);
      WeightedSum(plain, a.data(), 0.3f, b.data(), -2, floor, want.data(), n);
      WithEachVectorKernel([&](Context& ctx) {
        WeightedSum(ctx, a.data(), 0.3f, b.data(), -2, floor, got.data(), n);
        ExpectSame(got, want, 1e-6);
      });
      const WeightedSumOf of = {0.3f, -2, floor};
      for (int64_t i = 0; i < n; ++i) got[i] = of(a[i], b[i]);
      ExpectSame(got, want);
    }
}

struct TwoGradients {
  explicit TwoGradients(int64_t n) : a(n, 7), b(n, 7) {}
  SummandGradient First() { return {0.3f, a.data()}; }
  SummandGradient Second(bool both) {
    return both ? SummandGradient{-2, b.data()} : SummandGradient();
  }
  Values a, b;
};

template <int N>
void ExpectGradientsOfThreads(const float* y, const Values& dy, bool both, TwoGradients* want) {
  const auto n = static_cast<int64_t>(dy.size());
  TwoGradients got(n);
  RunElements(n / N, SummandGradients<N>{y, dy.data(), got.First(), got.Second(both)});
  ExpectSame(got.a, want->a);
  ExpectSame(got.b, want->b);
}

TEST(EltwiseKernels, GradientsOfSumsEqualPlain) {
  Context plain = Plain();
  for (const int64_t n : kSizes)
    for (const bool cut : {false, true})
      for (const bool both : {false, true}) {
        const Values dy = RandomValues("dy", n), sum = Ties("y", n);
        const float* y = cut ? sum.data() : nullptr;
        TwoGradients want(n);
        WeightedSumGradient(plain, y, dy.data(), want.First(), want.Second(both), n);
        WithEachVectorKernel([&](Context& ctx) {
          TwoGradients got(n);
          WeightedSumGradient(ctx, y, dy.data(), got.First(), got.Second(both), n);
          ExpectSame(got.a, want.a);
          ExpectSame(got.b, want.b);
        });
        ExpectGradientsOfThreads<1>(y, dy, both, &want);
        if (n % 4 == 0) ExpectGradientsOfThreads<4>(y, dy, both, &want);
      }
}

// The largest of three sources, and its gradients.
struct Comparison {
  explicit Comparison(int64_t n) : y(n), winner(n, 99), dx(3, Values(n, 7)) {}
  void ExpectEqual(const Comparison& want) const {
    ExpectSame(y, want.y);
    EXPECT_EQ(winner, want.winner);
    for (size_t i = 0; i < 3; ++i) ExpectSame(dx[i], want.dx[i]);
  }
  Values y;
  std::vector<uint8_t> winner;
  std::vector<Values> dx;
};

Comparison Compare(Context& ctx, const std::vector<Values>& x, const Values& dy) {
  const auto n = static_cast<int64_t>(dy.size());
  Comparison out(n);
  LargerOf(ctx, x[0].data(), x[1].data(), 1, out.y.data(), out.winner.data(), n);
  LargerOf(ctx, out.y.data(), x[2].data(), 2, out.y.data(), out.winner.data(), n);
  for (uint8_t i = 0; i < 3; ++i)
    LargerOfGradient(ctx, out.winner.data(), i, dy.data(), out.dx[i].data(), n);
  return out;
}

template <int N>
Comparison CompareByThreads(const std::vector<Values>& x, const Values& dy) {
  const auto n = static_cast<int64_t>(dy.size());
  Comparison out(n);
  float* y = out.y.data();
  uint8_t* winner = out.winner.data();
  RunElements(n / N, LargerOfTwo<N>{x[0].data(), x[1].data(), 1, y, winner});
  RunElements(n / N, LargerOfTwo<N>{y, x[2].data(), 2, y, winner});
  for (uint8_t i = 0; i < 3; ++i)
    RunElements(n / N, WinnerGradient<N>{winner, i, dy.data(), out.dx[i].data()});
  return out;
}

TEST(EltwiseKernels, ComparisonsEqualPlain) {
  Context plain = Plain();
  for (const int64_t n : kSizes) {
    const std::vector<Values> x = {Ties("a", n), Ties("b", n), Ties("c", n)};
    const Values dy = RandomValues("dy", n);
    const Comparison want = Compare(plain, x, dy);
    WithEachVectorKernel([&](Context& ctx) { Compare(ctx, x, dy).ExpectEqual(want); });
    CompareByThreads<1>(x, dy).ExpectEqual(want);
    if (n % 4 == 0) CompareByThreads<4>(x, dy).ExpectEqual(want);
  }
}

struct Channels {
  int64_t n, pixels, c;
  int64_t size() const { return n * pixels * c; }
};
// The last of them is enough for two threads.
const Channels kChannels[] = {{1, 1, 1},  {2, 5, 3},    {3, 9, 8},
                              {2, 7, 33}, {2, 3, 1030}, {5, 101, 400}};

template <int N>
Values ScaledByThreads(const Channels& of, const Values& x, const Values& scale) {
  Values y(x.size());
  RunElements(of.size() / N, ScaledChannels<N>{x.data(), scale.data(), y.data(), of.pixels, of.c});
  return y;
}

TEST(EltwiseKernels, ScaledChannelsEqualPlain) {
  Context plain = Plain();
  for (const Channels& of : kChannels) {
    const Values x = RandomValues("x", of.size()), scale = RandomValues("scale", of.n * of.c);
    Values want(x.size()), got(x.size());
    ScaleChannels(plain, x.data(), scale.data(), want.data(), of.n, of.pixels, of.c);
    WithEachVectorKernel([&](Context& ctx) {
      ScaleChannels(ctx, x.data(), scale.data(), got.data(), of.n, of.pixels, of.c);
      ExpectSame(got, want);
      got = x;
      ScaleChannels(ctx, got.data(), scale.data(), got.data(), of.n, of.pixels, of.c);
      ExpectSame(got, want);
    });
    ExpectSame(ScaledByThreads<1>(of, x, scale), want);
    if (of.c % 4 == 0) ExpectSame(ScaledByThreads<4>(of, x, scale), want);
  }
}

TEST(EltwiseKernels, GradientsOfScaledChannelsEqualPlain) {
  Context plain = Plain();
  for (const Channels& of : kChannels) {
    const Values x = RandomValues("x", of.size()), dy = RandomValues("dy", of.size());
    const double tolerance = 1e-6 * std::sqrt(static_cast<double>(of.pixels));
    Values want(of.n * of.c), got(of.n * of.c, 7);
    ScaleChannelsGradient(plain, x.data(), dy.data(), want.data(), of.n, of.pixels, of.c);
    WithEachVectorKernel([&](Context& ctx) {
      ScaleChannelsGradient(ctx, x.data(), dy.data(), got.data(), of.n, of.pixels, of.c);
      ExpectSame(got, want, tolerance);
    });
    got.assign(got.size(), 7);
    const ChannelProductsTile tile = {x.data(), dy.data(), got.data(), of.pixels, of.c};
    RunBlocks(of.n * tile.across(), 64, tile);
    ExpectSame(got, want, tolerance);
  }
}

// In float32 alone a sum of so many equal terms would be wrong by about 1 %.
TEST(EltwiseKernels, GradientsOfScaledChannelsKeepTheirDigitsOverAMillionPixels) {
  const Channels of = {1, 1000 * 1000, 3};
  const Values x(of.size(), 0.1f), dy(of.size(), 1);
  const Values want(of.c, 0.1f * static_cast<float>(of.pixels));
  Values got(of.c);
  WithEachVectorKernel([&](Context& ctx) {
    ScaleChannelsGradient(ctx, x.data(), dy.data(), got.data(), of.n, of.pixels, of.c);
    ExpectSame(got, want, 1e-5);
  });
  got.assign(got.size(), 7);
  const ChannelProductsTile tile = {x.data(), dy.data(), got.data(), of.pixels, of.c};
  RunBlocks(of.n * tile.across(), 64, tile);
  ExpectSame(got, want, 1e-6);
}

TEST(EltwiseKernels, ThreadsDivideTheChannelsOfOneImageAndChangeNoBit) {
  const Channels of = {1, 3000, 83};
  const Values x = RandomValues("x", of.size()), dy = RandomValues("dy", of.size());
  const auto gradient = [&](int threads) {
    Context ctx;
    ctx.threads = threads;
    Values dscale(of.c, 7);
    ScaleChannelsGradient(ctx, x.data(), dy.data(), dscale.data(), of.n, of.pixels, of.c);
    return dscale;
  };
  EXPECT_EQ(gradient(2), gradient(1));
  EXPECT_EQ(gradient(3), gradient(1));
}

}  // namespace eltwise_elements_test
}  // namespace singa
