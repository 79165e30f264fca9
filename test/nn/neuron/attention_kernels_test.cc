// Compares the CPU's kernels of attention: the fast ones with the plain ones, and any number of
// threads with one.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nn/neuron/attention.h"
#include "support/random_values.h"

namespace singa {
namespace {

struct AttentionCase {
  AttentionShape shape;
  float ratio = 0;
};

void PrintTo(const AttentionCase& test, std::ostream* out) {
  const AttentionShape& s = test.shape;
  *out << s.steps << " steps, " << s.rows << " rows, " << s.heads << " heads of " << s.width
       << (s.causal ? ", causal" : "") << ", dropout " << test.ratio;
}

struct AttentionResult {
  std::vector<float> o, log_sum, dqkv;
};

AttentionResult RunAttention(const AttentionCase& test, bool plain, int threads) {
  const AttentionShape& shape = test.shape;
  const int64_t rows = shape.steps * shape.rows, d = shape.units();
  const std::vector<float> qkv = RandomValues("qkv", rows * 3 * d),
                           d_o = RandomValues("do", rows * d);
  AttentionResult result = {std::vector<float>(rows * d, NAN),
                            std::vector<float>(shape.pairs() * shape.steps, NAN),
                            std::vector<float>(rows * 3 * d, NAN)};
  // Kernels must not depend on what scratch holds.
  std::vector<float> scratch(AttentionScratch(shape, threads) / sizeof(float), NAN);
  Context ctx;
  ctx.plain = plain;
  ctx.threads = threads;
  const AttentionDropout dropout = {
      .ratio = test.ratio, .numbers = {.seed = 5, .purpose = 6, .step = 7}, .first_row = 3};
  AttentionForward(ctx, {.shape = shape,
                         .dropout = dropout,
                         .qkv = qkv.data(),
                         .o = result.o.data(),
                         .log_sum = result.log_sum.data(),
                         .scratch = scratch.data(),
                         .threads = threads});
  AttentionBackward(ctx, {.shape = shape,
                          .dropout = dropout,
                          .qkv = qkv.data(),
                          .o = result.o.data(),
                          .log_sum = result.log_sum.data(),
                          .d_o = d_o.data(),
                          .dqkv = result.dqkv.data(),
                          .scratch = scratch.data(),
                          .threads = threads});
  return result;
}

void ExpectSameNumbers(const std::vector<float>& got, const std::vector<float>& want,
                       double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * std::max(1.f, std::abs(want[i]))) << "element " << i;
}

class AttentionKernels : public ::testing::TestWithParam<AttentionCase> {};

// Steps around the edges of blocks of 48 queries and 192 keys, and widths around vectors of 16.
std::vector<AttentionCase> AttentionCases() {
  std::vector<AttentionCase> cases;
  for (const bool causal : {true, false}) {
    for (const int64_t steps : {1, 2, 6, 47, 48, 49, 191, 192, 193, 400})
      cases.push_back({{steps, 2, 2, 8, causal}});
    for (const int64_t width : {1, 15, 16, 17, 33, 64, 100})
      cases.push_back({{50, 1, 2, width, causal}});
    for (const int64_t steps : {5, 130, 250}) cases.push_back({{steps, 2, 1, 20, causal}, 0.3f});
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Cases, AttentionKernels, ::testing::ValuesIn(AttentionCases()));

TEST_P(AttentionKernels, FastAndPlainAgree) {
  const AttentionResult want = RunAttention(GetParam(), true, 1);
  const AttentionResult got = RunAttention(GetParam(), false, 1);
  ExpectSameNumbers(got.o, want.o, 1e-5);
  ExpectSameNumbers(got.log_sum, want.log_sum, 1e-5);
  ExpectSameNumbers(got.dqkv, want.dqkv, 5e-5);  // sums of sums over up to 400 steps
}

TEST_P(AttentionKernels, ThreadsChangeNoBits) {
  const AttentionResult want = RunAttention(GetParam(), false, 1);
  for (const int threads : {2, 3}) {  // fewer and more than there are heads of rows
    const AttentionResult got = RunAttention(GetParam(), false, threads);
    EXPECT_EQ(got.o, want.o) << threads;
    EXPECT_EQ(got.log_sum, want.log_sum) << threads;
    EXPECT_EQ(got.dqkv, want.dqkv) << threads;
  }
}

std::vector<float> OutputsFrom(int64_t first, const AttentionShape& shape, bool plain,
                               int threads = 1) {
  const int64_t rows = shape.steps * shape.rows, d = shape.units();
  const std::vector<float> qkv = RandomValues("qkv", rows * 3 * d);
  std::vector<float> o(rows * d, NAN), log_sum(shape.pairs() * shape.steps);
  std::vector<float> scratch(AttentionScratch(shape, threads) / sizeof(float), NAN);
  Context ctx;
  ctx.plain = plain;
  ctx.threads = threads;
  AttentionForward(ctx, {.shape = shape,
                         .first = first,
                         .dropout = {},
                         .qkv = qkv.data(),
                         .o = o.data(),
                         .log_sum = log_sum.data(),
                         .scratch = scratch.data(),
                         .threads = threads});
  return {o.begin() + first * shape.rows * d, o.end()};
}

// As when a text is written: the steps before are there, and only the last ones are wanted.
TEST(AttentionNumbers, TheLastStepsAreThoseOfAllSteps) {
  for (const int64_t steps : {1, 5, 50, 200, 400})
    for (const int64_t last : {1, 4, 5, 60}) {
      if (last > steps) continue;
      SCOPED_TRACE(testing::Message() << "the last " << last << " of " << steps << " steps");
      const AttentionShape shape = {steps, 3, 2, 20, true};
      const std::vector<float> all = OutputsFrom(0, shape, true);
      const std::vector<float> want(all.end() - last * 3 * shape.units(), all.end());
      ExpectSameNumbers(OutputsFrom(steps - last, shape, true), want, 0);
      ExpectSameNumbers(OutputsFrom(steps - last, shape, false), want, 1e-5);
      EXPECT_EQ(OutputsFrom(steps - last, shape, false, 3),
                OutputsFrom(steps - last, shape, false, 1));
    }
}

TEST(AttentionNumbers, LargeScoresOverflowNothing) {
  const AttentionShape shape = {200, 1, 1, 4, true};
  std::vector<float> qkv = RandomValues("qkv", 200 * 12);
  for (float& x : qkv) x *= 100;
  std::vector<float> o(200 * 4), log_sum(200);
  std::vector<float> scratch(AttentionScratch(shape, 1) / sizeof(float));
  for (const bool plain : {true, false}) {
    Context ctx;
    ctx.plain = plain;
    AttentionForward(ctx, {.shape = shape,
                           .dropout = {},
                           .qkv = qkv.data(),
                           .o = o.data(),
                           .log_sum = log_sum.data(),
                           .scratch = scratch.data(),
                           .threads = 1});
    for (const float x : o) ASSERT_LE(std::abs(x), 1000);
    for (const float x : log_sum) ASSERT_TRUE(std::isfinite(x));
  }
}

}  // namespace
}  // namespace singa
