// Compares the plans of attention on each device, in each precision, with the host's plain kernels.
#include "nn/neuron/attention_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "math/elementwise/half.h"
#include "support/device_memory.h"
#include "support/random_values.h"
#include "support/test_device.h"

namespace singa::attention_plan_test {
namespace {

struct PlanResult {
  std::vector<float> o, log_sum, dqkv;
};

// Makes and runs plans at one place.
class PlanRunner {
 public:
  PlanRunner(TestPlace place, Precision precision, bool plain = false) : device_(place) {
    device_.ctx.precision = precision;
    device_.ctx.plain = plain;
  }

  Context& ctx() { return device_.ctx; }
  std::string NameOf(const AttentionDesc& desc) { return MakeAttention.Make(ctx(), desc)->name(); }

  // Computes with numbers that `precision` does not change.
  PlanResult Run(const AttentionShape& shape, Precision precision) {
    const auto plan = MakeAttention.Make(ctx(), {.shape = shape});
    const int64_t rows = shape.steps * shape.rows, d = shape.units();
    Tensor qkv = Rounded("qkv", rows * 3 * d, precision), d_o = Rounded("do", rows * d, precision),
           o = Poisoned(rows * d), log_sum = Poisoned(shape.pairs() * shape.steps),
           dqkv = Poisoned(rows * 3 * d), scratch = Poisoned(plan->scratch_bytes() / 4 + 1);
    plan->Forward(ctx(), {.shape = shape,
                          .dropout = {},
                          .qkv = qkv.data(),
                          .o = o.data(),
                          .log_sum = log_sum.data(),
                          .scratch = scratch.data(),
                          .threads = 1});
    memory_.Poison(&scratch);
    plan->Backward(ctx(), {.shape = shape,
                           .dropout = {},
                           .qkv = qkv.data(),
                           .o = o.data(),
                           .log_sum = log_sum.data(),
                           .d_o = d_o.data(),
                           .dqkv = dqkv.data(),
                           .scratch = scratch.data(),
                           .threads = 1});
    return {memory_.Read(o), memory_.Read(log_sum), memory_.Read(dqkv)};
  }

 private:
  Tensor Rounded(const char* name, int64_t n, Precision precision) {
    std::vector<float> values = RandomValues(name, n);
    for (float& x : values) x = singa::Rounded(precision, x);
    Tensor tensor = memory_.Allocate({n});
    memory_.Write(values.data(), &tensor);
    return tensor;
  }
  Tensor Poisoned(int64_t n) {
    Tensor tensor = memory_.Allocate({n});
    memory_.Poison(&tensor);
    return tensor;
  }

  TestDevice device_;
  DeviceMemory memory_{&device_.ctx};
};

void ExpectNumbers(const std::vector<float>& got, const std::vector<float>& want,
                   double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * std::max(1.f, std::abs(want[i]))) << "element " << i;
}

class AttentionPlanTest : public ::testing::TestWithParam<TestPlace> {
 protected:
  static void ExpectNearPlain(Precision precision, double tolerance) {
    for (const AttentionShape& shape : {AttentionShape{64, 2, 2, 16, true},
                                        {100, 3, 2, 8, true},
                                        {65, 1, 2, 64, false},
                                        {130, 2, 1, 128, true},
                                        {2, 2, 2, 32, false},
                                        {20, 2, 3, 5, true},
                                        {1, 2, 2, 8, true}}) {
      SCOPED_TRACE(testing::Message() << shape.steps << " steps of " << shape.width);
      const PlanResult got = PlanRunner(GetParam(), precision).Run(shape, precision);
      const PlanResult want =
          PlanRunner(TestPlace::kHost, Precision::kFloat32, true).Run(shape, precision);
      ExpectNumbers(got.o, want.o, tolerance);
      ExpectNumbers(got.log_sum, want.log_sum, 1e-4);  // no 16 bits: sums of exponentials
      ExpectNumbers(got.dqkv, want.dqkv, tolerance);
    }
  }
};
SINGA_TEST_AT_ALL_PLACES(AttentionPlanTest);

TEST_P(AttentionPlanTest, Float32LosesNothing) {
  ExpectNearPlain(Precision::kFloat32, 5e-5);  // sums of sums, as in attention_kernels_test.cc
  ExpectNearPlain(Precision::kTf32, 5e-5);
}

// Weights, their gradients, o and results may be rounded. Each costs half a unit of the last bit.
TEST_P(AttentionPlanTest, IsAsPreciseAsItsFactors) {
  ExpectNearPlain(Precision::kBFloat16, std::ldexp(8, -8));
  ExpectNearPlain(Precision::kFloat16, std::ldexp(8, -11));
}

TEST_P(AttentionPlanTest, EachRunHasTheSameBits) {
  PlanRunner runner(GetParam(), Precision::kBFloat16);
  const AttentionShape shape = {300, 4, 4, 64, true};
  const PlanResult first = runner.Run(shape, Precision::kBFloat16);
  // A GPU adds up in another order only now and then.
  for (int i = 0; i < (GetParam() == TestPlace::kCuda ? 8 : 1); ++i) {
    const PlanResult again = runner.Run(shape, Precision::kBFloat16);
    EXPECT_EQ(again.o, first.o);
    EXPECT_EQ(again.dqkv, first.dqkv);
  }
}

TEST_P(AttentionPlanTest, WhatNoLibraryTakesIsOurs) {
  PlanRunner runner(GetParam(), Precision::kFloat16);
  const AttentionShape shape = {64, 2, 2, 16, true};
  const std::string ours = AttentionForward.Choice(runner.ctx());
  EXPECT_EQ(runner.NameOf({.shape = shape, .drops = true}), ours);
  EXPECT_EQ(runner.NameOf({.shape = shape, .keeps_steps = true}), ours);
  EXPECT_EQ(runner.NameOf({.shape = {64, 2, 2, 12, true}}), ours);
  EXPECT_EQ(runner.NameOf({.shape = {1, 2, 2, 16, true}}), ours);
  EXPECT_EQ(runner.NameOf({.shape = {64, 2, 2, 264, true}}), ours);
  EXPECT_EQ(PlanRunner(GetParam(), Precision::kTf32).NameOf({.shape = shape}), ours);
  EXPECT_EQ(PlanRunner(GetParam(), Precision::kFloat16, true).NameOf({.shape = shape}),
            NameOf(Rank::kPlain));
}

TEST_P(AttentionPlanTest, GpusUseFusedKernelsIn16Bits) {
  // Capabilities from 10.0 on are left out (attention_cudnn.cc).
  const bool fused = GetParam() == TestPlace::kCuda && CapabilityOfGpu(0).size() == 3;
  for (const Precision precision : {Precision::kBFloat16, Precision::kFloat16})
    for (const bool causal : {true, false})
      for (const bool gradient : {true, false}) {
        PlanRunner runner(GetParam(), precision);
        EXPECT_EQ(runner.NameOf({.shape = {256, 8, 4, 64, causal}, .gradient = gradient}),
                  fused ? "cuDNN, 16 bits" : AttentionForward.Choice(runner.ctx()));
      }
}

}  // namespace
}  // namespace singa::attention_plan_test
