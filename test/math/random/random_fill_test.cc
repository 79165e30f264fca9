#include "singa/math/random_fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/device_memory.h"
#include "support/test_device.h"

namespace singa {
namespace {

const Philox kStream{.seed = 11, .purpose = 22, .step = 33};

using Filler = void (*)(Context&, uint64_t first, int64_t n, float* x);
const Filler kFillers[] = {
    [](Context& ctx, uint64_t first, int64_t n, float* x) {
      FillUniform(ctx, kStream, first, n, -0.3f, 0.7f, x);
    },
    [](Context& ctx, uint64_t first, int64_t n, float* x) {
      FillGaussian(ctx, kStream, first, n, 0.1f, 0.7f, x);
    },
    [](Context& ctx, uint64_t first, int64_t n, float* x) {
      BernoulliMask(ctx, kStream, first, n, 0.3f, 1.5f, x);
    },
};

std::vector<float> Filled(Filler fill, uint64_t first, int64_t n, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  std::vector<float> x(n);
  fill(ctx, first, n, x.data());
  return x;
}

// RandomFillOf tests that every device has the same bits.
class RandomFillOf : public ::testing::TestWithParam<TestPlace> {
 protected:
  // Returns the numbers, made `shift` floats behind an address that is aligned for four. Expects
  // that no float around them is written.
  std::vector<float> FilledHere(Filler fill, uint64_t first, int64_t n, int64_t shift = 0) {
    const std::vector<float> untouched(shift + n + 4, -77);
    Tensor x = memory_.Allocate({shift + n + 4});
    memory_.Write(untouched.data(), &x);
    fill(device_.ctx, first, n, x.data() + shift);
    const std::vector<float> all = memory_.Read(x);
    EXPECT_EQ(std::count(all.begin(), all.begin() + shift, -77), shift);
    EXPECT_EQ(std::count(all.end() - 4, all.end(), -77), 4);
    return {all.begin() + shift, all.end() - 4};
  }

  TestDevice device_{GetParam()};
  DeviceMemory memory_{&device_.ctx};
};
SINGA_TEST_AT_ALL_PLACES(RandomFillOf);

TEST_P(RandomFillOf, GivesTheScalarNumbersBitForBit) {
  constexpr int64_t kNumbers = 200'000;
  const std::vector<float> uniform = FilledHere(kFillers[0], 3, kNumbers);
  const std::vector<float> mask = FilledHere(kFillers[2], 3, kNumbers);
  const Filler standard = [](Context& ctx, uint64_t first, int64_t n, float* x) {
    FillGaussian(ctx, kStream, first, n, 0, 1, x);
  };
  const std::vector<float> gaussian = FilledHere(standard, 3, kNumbers);
  for (int64_t i = 0; i < kNumbers; ++i) {
    ASSERT_EQ(uniform[i], -0.3f + (0.7f + 0.3f) * kStream.Uniform(3 + i)) << i;
    ASSERT_EQ(gaussian[i], kStream.Gaussian(3 + i)) << i;
    ASSERT_EQ(mask[i], kStream.Uniform(3 + i) < 0.3f ? 1.5f : 0.f) << i;
  }
}

TEST_P(RandomFillOf, GivesTheSameBitsWhereverARangeIsCut) {
  for (Filler fill : kFillers) {
    const std::vector<float> whole = Filled(fill, 0, 3000);
    for (int64_t begin = 0, n = 1; begin + n <= 3000; begin += n, n = n * 2 + 1)
      for (const int64_t shift : {0, 1, 2, 3}) {
        const std::vector<float> part = FilledHere(fill, begin, n, shift);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + begin)) << begin;
      }
  }
}

TEST_P(RandomFillOf, ReachesIndicesAbove32Bits) {
  const uint64_t first = (uint64_t{1} << 34) - 2;
  const std::vector<float> x = FilledHere(kFillers[0], first, 8);
  EXPECT_EQ(x[7], -0.3f + (0.7f + 0.3f) * kStream.Uniform(first + 7));
}

TEST_P(RandomFillOf, HasTheNumbersOfTheStepThatTheDeviceIsTold) {
  const StepState state{.step = kStream.step + 1};
  Tensor told = memory_.Allocate({sizeof state}, DType::kU8);
  memory_.Write(&state, &told);
  device_.ctx.device_state = told.as<StepState>();
  Philox next = kStream;
  ++next.step;
  EXPECT_EQ(FilledHere(kFillers[0], 0, 8)[7], -0.3f + (0.7f + 0.3f) * next.Uniform(7));
}

TEST(RandomFill, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (Filler fill : kFillers) EXPECT_EQ(Filled(fill, 5, 200'001, 1), Filled(fill, 5, 200'001, 3));
}

// Moments are the mean, variance and fourth moment of n numbers.
struct Moments {
  explicit Moments(const std::vector<float>& x) {
    const double n = static_cast<double>(x.size());
    for (float v : x) mean += v / n;
    for (float v : x) variance += (v - mean) * (v - mean) / n;
    for (float v : x) fourth += std::pow(v - mean, 4) / n;
  }
  double mean = 0, variance = 0, fourth = 0;
};

// The bounds are 5 standard deviations of the estimate for 2^20 numbers.
TEST(RandomFill, GaussianHasTheMomentsOfANormal) {
  const Moments m(Filled(kFillers[1], 0, 1 << 20));
  EXPECT_NEAR(m.mean, 0.1, 0.7 * 5e-3);
  EXPECT_NEAR(m.variance, 0.49, 0.49 * 7e-3);
  EXPECT_NEAR(m.fourth, 3 * 0.49 * 0.49, 0.49 * 0.49 * 5e-2);
}

TEST(RandomFill, UniformFillsItsRange) {
  const std::vector<float> x = Filled(kFillers[0], 0, 1 << 20);
  const Moments m(x);
  EXPECT_NEAR(m.mean, 0.2, 1.5e-3);
  EXPECT_NEAR(m.variance, 1 / 12., 4e-4);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -0.3f);
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 0.7f);
}

// 100 + u with u near 1 would round to 101.
TEST(RandomFill, UniformNeverReachesItsUpperBound) {
  Context ctx;
  std::vector<float> x(1 << 20);
  FillUniform(ctx, kStream, 0, 1 << 20, 100, 101, x.data());
  EXPECT_LT(*std::max_element(x.begin(), x.end()), 101.f);
  FillUniform(ctx, kStream, 0, 10, 2, 2, x.data());
  EXPECT_EQ(x[9], 2.f);
}

TEST(RandomFill, MaskKeepsItsShare) {
  const Moments m(Filled(kFillers[2], 0, 1 << 20));
  EXPECT_NEAR(m.mean, 0.3 * 1.5, 1.5 * 2.3e-3);
  Context ctx;
  std::vector<float> all(100), none(100);
  BernoulliMask(ctx, kStream, 0, 100, 1, 1, all.data());
  BernoulliMask(ctx, kStream, 0, 100, 0, 1, none.data());
  EXPECT_EQ(all, std::vector<float>(100, 1.f));
  EXPECT_EQ(none, std::vector<float>(100, 0.f));
}

}  // namespace
}  // namespace singa
