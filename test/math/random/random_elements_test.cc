// Tests that random numbers of a device's threads have the bits of the host's.
#include "math/random/random_elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "singa/math/random_fill.h"

namespace singa {
namespace {

using Values = std::vector<float>;
const Philox kBlockStream{.seed = 11, .purpose = 22, .step = 33};
constexpr float kUntouched = -77;

// Returns numbers [first, first + n), made at an address `shift` floats behind one that is aligned
// for four.
template <typename Convert>
Values FilledByBlocks(const Convert& convert, uint64_t first, int64_t n, int shift,
                      const StepState* state = nullptr, Philox stream = kBlockStream) {
  Values memory(n + 12, kUntouched);
  while (!AlignedTo<4>(memory.data() + shift % 4)) ++shift;
  float* const x = memory.data() + shift;
  const bool aligned = AlignedTo<4>(x - first % 4);
  using Block = FillBlock<Convert>;
  for (int64_t q = 0; q < Block::blocks(first, n); ++q)
    Block{convert, stream, state, first, n, x, aligned}(q);
  for (int64_t i = 0; i < static_cast<int64_t>(memory.size()); ++i)
    EXPECT_TRUE(memory[i] == kUntouched || (i >= shift && i < shift + n)) << "beyond its range";
  return {x, x + n};
}

const uint64_t kBlockBlockFirsts[] = {0, 1, 2, 3, 4, (uint64_t{1} << 34) - 2};
const int64_t kBlockSizes[] = {1, 2, 3, 4, 5, 8, 1027};

template <typename Convert>
void ExpectBits(const Convert& convert, void (*fill)(Context&, uint64_t, int64_t, float*)) {
  for (uint64_t first : kBlockBlockFirsts)
    for (int64_t n : kBlockSizes)
      for (int shift : {0, 1, 2, 3}) {
        Context ctx;
        Values want(n);
        fill(ctx, first, n, want.data());
        ASSERT_EQ(FilledByBlocks(convert, first, n, shift), want) << first << " " << n;
      }
}

TEST(RandomElementsTest, UniformHasTheHostsBits) {
  ExpectBits(UniformOf{-0.3f, 0.7f + 0.3f, std::nextafter(0.7f, -0.3f)},
             [](Context& ctx, uint64_t first, int64_t n, float* x) {
               FillUniform(ctx, kBlockStream, first, n, -0.3f, 0.7f, x);
             });
}

TEST(RandomElementsTest, GaussianHasTheHostsBits) {
  ExpectBits(GaussianOf{0.1f, 0.7f}, [](Context& ctx, uint64_t first, int64_t n, float* x) {
    FillGaussian(ctx, kBlockStream, first, n, 0.1f, 0.7f, x);
  });
}

TEST(RandomElementsTest, MaskHasTheHostsBits) {
  ExpectBits(MaskOf{0.3f, 1.5f}, [](Context& ctx, uint64_t first, int64_t n, float* x) {
    BernoulliMask(ctx, kBlockStream, first, n, 0.3f, 1.5f, x);
  });
}

TEST(RandomElementsTest, StepOfTheDeviceCounts) {
  const StepState state{.step = 34};
  Philox next = kBlockStream;
  next.step = 34;
  const MaskOf mask = {0.5f, 1};
  EXPECT_EQ(FilledByBlocks(mask, 0, 64, 0, &state), FilledByBlocks(mask, 0, 64, 0, nullptr, next));
  EXPECT_NE(FilledByBlocks(mask, 0, 64, 0, &state), FilledByBlocks(mask, 0, 64, 0));
}

TEST(RandomElementsTest, UniformNeverReachesItsUpperBound) {
  const UniformOf uniform = {100, 1, std::nextafter(101.f, 100.f)};
  const Four x = uniform({0xFFFFFFFF, 0, 1, 2});
  EXPECT_LT(x[0], 101);
  EXPECT_EQ(x[1], 100);
}

}  // namespace
}  // namespace singa
