// Tests the sum of one slice over the processes of a worker group. group_steps_test.cc tests what a
// server makes of it.
#include "cluster/server/step_sum.h"

#include <gtest/gtest.h>

#include <limits>

#include "comm/codec/float_frame.h"

namespace singa {
namespace {

// Workers 0 and 1 are in process 0, worker 2 is in process 1.
const NodesOfProcesses kPairAndOne = {{{0, 2}}, {{2, 3}}};

Frame FrameWith(std::vector<float> floats) { return FrameOf(std::move(floats)); }

using Arrival = StepSum::Arrival;

TEST(StepSumTest, IsCompleteWhenEachProcessHasContributed) {
  StepSum sum(&kPairAndOne, 0);
  EXPECT_FALSE(sum.waits());
  EXPECT_EQ(sum.Add(1, 0, 0, FrameWith({1}), 0), Arrival::kTaken);
  EXPECT_TRUE(sum.waits());
  EXPECT_FALSE(sum.complete());
  EXPECT_EQ(sum.Missing(), 0);
  EXPECT_EQ(sum.Add(0, 0, 0, FrameWith({1}), 0), Arrival::kTaken);
  EXPECT_FALSE(sum.waits());
  EXPECT_TRUE(sum.complete());
}

// Process 1 has no nodes. It says when it no longer needs the old values.
TEST(StepSumTest, WaitsForAProcessThatReads) {
  const NodesOfProcesses nodes = {{{0, 1}}, {}};
  const std::vector<bool> readers = {true, true};
  StepSum sum(&nodes, 0, &readers);
  EXPECT_EQ(sum.Add(0, 0, 0, FrameWith({3}), 0), Arrival::kTaken);
  EXPECT_FALSE(sum.complete());
  EXPECT_EQ(sum.Missing(), 1);
  EXPECT_EQ(sum.Add(1, 0, 0, {}, 0), Arrival::kTaken);
  EXPECT_TRUE(sum.complete());
  EXPECT_FALSE(sum.none());
  Context ctx;
  EXPECT_TRUE(sum.Sum(&ctx, 1));
  EXPECT_EQ(sum.gradient()[0], 3);
}

TEST(StepSumTest, AProcessContributesOnceAStep) {
  StepSum sum(&kPairAndOne, 0);
  sum.Add(1, 0, 0, FrameWith({1}), 0);
  EXPECT_EQ(sum.Add(1, 0, 0, FrameWith({2}), 0), Arrival::kDuplicate);
  EXPECT_FALSE(sum.complete());
}

TEST(StepSumTest, AStepThatIsDoneIsADuplicate) {
  StepSum sum(&kPairAndOne, 5);
  EXPECT_EQ(sum.Add(0, 4, 0, FrameWith({1}), 0), Arrival::kDuplicate);
}

TEST(StepSumTest, AnotherStepWaitsForTheOneThatIsCollected) {
  StepSum sum(&kPairAndOne, 5);
  sum.Add(0, 5, 0, FrameWith({1}), 0);
  EXPECT_EQ(sum.Add(1, 6, 0, FrameWith({1}), 0), Arrival::kOtherStep);
  EXPECT_EQ(sum.step(), 5);
}

// Steps that the group dropped in its workers are never sent.
TEST(StepSumTest, ALaterStepMayBegin) {
  StepSum sum(&kPairAndOne, 5);
  EXPECT_EQ(sum.Add(0, 9, 0, FrameWith({1}), 0), Arrival::kTaken);
  EXPECT_EQ(sum.step(), 9);
}

TEST(StepSumTest, HasTheOldestVersionAndTheFirstArrival) {
  StepSum sum(&kPairAndOne, 0);
  sum.Add(0, 0, 8, FrameWith({1}), 100);
  sum.Add(1, 0, 6, FrameWith({1}), 200);
  EXPECT_EQ(sum.version(), 6);
  EXPECT_EQ(sum.since(), 100);
}

// Process 0 has workers 0 to 2. 1e8 + 1 is 1e8 in float32, so that any other order gives 0.
TEST(StepSumTest, AddsInTheOrderOfTheTree) {
  const NodesOfProcesses nodes = {{{0, 2}, {2, 3}}, {{3, 4}}};
  StepSum sum(&nodes, 0);
  sum.Add(1, 0, 0, FrameWith({-1e8f, 7}), 0);
  sum.Add(0, 0, 0, FrameWith({1, 1, 1e8f, 2}), 0);
  Context ctx;
  EXPECT_TRUE(sum.Sum(&ctx, 2));
  EXPECT_EQ(sum.gradient()[0], 1);
  EXPECT_EQ(sum.gradient()[1], 10);
}

TEST(StepSumTest, TheSumOfOneProcessIsWhatItSent) {
  const NodesOfProcesses nodes = {{{0, 4}}};
  StepSum sum(&nodes, 0);
  const Frame floats = FrameWith({1, 2});
  sum.Add(0, 0, 0, floats, 0);
  Context ctx;
  EXPECT_TRUE(sum.Sum(&ctx, 2));
  EXPECT_EQ(sum.gradient(), FloatsOf(floats).data());
}

TEST(StepSumTest, AProcessWithoutFiniteGradientSpoilsTheStep) {
  StepSum sum(&kPairAndOne, 0);
  sum.Add(0, 0, 0, FrameWith({1}), 0);
  EXPECT_FALSE(sum.none());
  sum.Add(1, 0, 0, Frame(), 0);
  EXPECT_TRUE(sum.none());
  Context ctx;
  EXPECT_FALSE(sum.Sum(&ctx, 1));
}

TEST(StepSumTest, FiniteGradientsMayHaveASumThatIsNot) {
  StepSum sum(&kPairAndOne, 0);
  const float most = std::numeric_limits<float>::max();
  for (const int process : {0, 1}) sum.Add(process, 0, 0, FrameWith({0, most}), 0);
  Context ctx;
  EXPECT_FALSE(sum.Sum(&ctx, 2));
}

TEST(StepSumTest, TheNextStepBeginsAnew) {
  StepSum sum(&kPairAndOne, 0);
  Context ctx;
  for (int64_t step = 0; step < 3; ++step) {
    sum.Add(0, step, 0, step == 0 ? Frame() : FrameWith({1}), 0);
    sum.Add(1, step, 0, FrameWith({static_cast<float>(step)}), 0);
    EXPECT_EQ(sum.Sum(&ctx, 1), step > 0);
    if (step > 0) {
      EXPECT_EQ(sum.gradient()[0], 1 + static_cast<float>(step));
    }
    sum.Done();
    EXPECT_EQ(sum.step(), step + 1);
    EXPECT_FALSE(sum.complete());
  }
}

TEST(StepSumTest, HoldsContributionsOrTheirSum) {
  StepSum sum(&kPairAndOne, 0);
  for (const int process : {0, 1}) sum.Add(process, 0, 0, FrameWith({1, 2, 3}), 0);
  EXPECT_EQ(sum.held_bytes(), 24);
  Context ctx;
  sum.Sum(&ctx, 3);
  EXPECT_EQ(sum.held_bytes(), 12);
  sum.Done();
  EXPECT_EQ(sum.held_bytes(), 0);
}

}  // namespace
}  // namespace singa
