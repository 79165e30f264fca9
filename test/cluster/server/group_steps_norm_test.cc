// Tests steps whose slices wait for each other: with clip_norm, or with on_nonfinite: kSkip.
#include <gtest/gtest.h>

#include <cmath>

#include "support/cluster/steps_of_a_server.h"

namespace singa {
namespace {

using Arrival = StepSum::Arrival;

const std::string kClipped = StrCat(kSumUpdater, " clip_norm: 1");

TEST(GroupNormTest, AGradientThatIsNotFiniteIsToldOnceAStep) {
  StepsOfAServer server("");
  server.PutAll();
  server.Give(0, 0, 0, 0, {1, std::nanf(""), 1});
  server.Give(0, 0, 0, 1, {std::nanf(""), 1});
  EXPECT_EQ(server.diverged,
            (std::vector<std::string>{"step 0: the gradient of slice 0 of param \"a\" of layer "
                                      "\"l\" is not finite"}));
  EXPECT_EQ(server.steps.counts().applied, 0);
  EXPECT_EQ(server.Sent(), "");
}

TEST(GroupNormTest, AStepThatIsSkippedCountsOnceAndChangesNoSlice) {
  StepsOfAServer server("", kSumUpdater, "on_nonfinite: kSkip");
  server.PutAll();
  server.Give(0, 0, 0, 0, {1, std::nanf(""), 1});
  EXPECT_EQ(server.Sent(), "");  // slice 1 may be finite
  server.Give(0, 0, 0, 1, {1, 1});
  EXPECT_EQ(server.Values(1), (std::vector<float>{10, 10}));
  EXPECT_EQ(server.shard.version(1), 1);
  EXPECT_EQ(server.shard.count(1), 0);
  EXPECT_EQ(server.steps.counts().skipped, 1);
  EXPECT_EQ(server.steps.counts().applied, 0);
  EXPECT_EQ(server.Sent(), "kValues->0 0v1x3 1v1x2;");
  EXPECT_TRUE(server.diverged.empty());
}

TEST(GroupNormTest, AProcessWithoutAFiniteGradientHasItsStepSkipped) {
  StepsOfAServer server("nworkers_per_group: 2", kSumUpdater, "on_nonfinite: kSkip");
  server.PutAll();
  for (const int slice : {0, 1}) server.Give(0, 0, 0, slice, {});
  server.Give(0, 1, 0, 0, {1, 1, 1});
  server.Give(0, 1, 0, 1, {1, 1});
  EXPECT_EQ(server.steps.counts().skipped, 1);
  EXPECT_EQ(server.steps.LastStep(0, 0), 0);
}

TEST(GroupNormTest, BoundsTheGradientByTheNormOfAllSlices) {
  StepsOfAServer server("", kClipped);
  server.PutAll();
  server.Give(0, 0, 0, 0, {3, 0, 0});
  EXPECT_EQ(server.Sent(), "");
  server.Give(0, 0, 0, 1, {0, 4});
  EXPECT_FLOAT_EQ(server.Values(0)[0], 10 - 3.f / 5);
  EXPECT_FLOAT_EQ(server.Values(1)[1], 10 - 4.f / 5);
  server.out.Flush();
  EXPECT_EQ(server.sent.messages[0].head.part(0).norm(), 5);
  EXPECT_EQ(server.sent.messages[0].head.part(1).norm(), 5);
}

// No float32 holds the squares.
TEST(GroupNormTest, SquaresBeyondFloat32AreBounded) {
  StepsOfAServer server("", kClipped);
  server.PutAll();
  server.Give(0, 0, 0, 0, {3e38f, 0, 0});
  server.Give(0, 0, 0, 1, {0, -3e38f});
  EXPECT_NEAR(server.Values(0)[0], 10 - std::sqrt(0.5), 1e-5);
  EXPECT_NEAR(server.Values(1)[1], 10 + std::sqrt(0.5), 1e-5);
}

TEST(GroupNormTest, ABoundedStepBeginsWhenTheOneBeforeIsApplied) {
  StepsOfAServer server("", kClipped);
  server.PutAll();
  server.Give(0, 0, 0, 0, {1, 0, 0});
  EXPECT_EQ(server.Give(0, 0, 1, 1, {1, 0}), Arrival::kOtherStep);
  EXPECT_EQ(server.Give(0, 0, 0, 1, {1, 0}), Arrival::kTaken);
  EXPECT_EQ(server.Give(0, 0, 1, 1, {1, 0}), Arrival::kTaken);
}

TEST(GroupNormTest, ServersTellEachOtherTheSquaresOfTheirSlices) {
  StepsOfAServer server("nservers_per_group: 2", kClipped);
  server.PutAll();
  server.Give(0, 0, 7, 0, {3, 0, 0});
  EXPECT_EQ(server.shard.slices(), SliceSet({0}));
  ASSERT_EQ(server.sent.messages.size(), 1u);
  const WireMessage head = server.sent.messages[0].head;
  EXPECT_EQ(server.Sent(), "kSquares->1;");
  EXPECT_EQ(head.group(), 0u);
  EXPECT_EQ(head.step(), 7);
  EXPECT_EQ(head.first(), 0u);
  ASSERT_EQ(head.squares_size(), 1);
  EXPECT_EQ(head.squares(0), 9);
}

TEST(GroupNormTest, ABoundedUpdateWaitsForTheSquaresOfOtherServers) {
  StepsOfAServer server("nservers_per_group: 2", kClipped);
  server.PutAll();
  server.Give(0, 0, 0, 0, {3, 0, 0});
  EXPECT_EQ(server.Values(0)[0], 10);
  const double squares[] = {16};
  EXPECT_TRUE(server.steps.OnSquares(0, 1, 0, 0, squares));
  EXPECT_FLOAT_EQ(server.Values(0)[0], 10 - 3.f / 5);
}

TEST(GroupNormTest, SquaresMayComeBeforeTheGradient) {
  StepsOfAServer server("nservers_per_group: 2", kClipped);
  server.PutAll();
  const double squares[] = {16};
  EXPECT_TRUE(server.steps.OnSquares(0, 1, 0, 0, squares));
  server.Give(0, 0, 0, 0, {3, 0, 0});
  EXPECT_FLOAT_EQ(server.Values(0)[0], 10 - 3.f / 5);
}

TEST(GroupNormTest, RefusesSquaresThatNobodyNeeds) {
  const double squares[] = {16};
  StepsOfAServer unbounded("nservers_per_group: 2");
  EXPECT_FALSE(unbounded.steps.OnSquares(0, 1, 0, 0, squares));
  StepsOfAServer bounded("nservers_per_group: 2", kClipped, "", 5);
  EXPECT_FALSE(bounded.steps.OnSquares(0, 1, 4, 0, squares));
  EXPECT_TRUE(bounded.steps.OnSquares(0, 1, 5, 0, squares));
  EXPECT_FALSE(bounded.steps.OnSquares(0, 1, 5, 0, squares));
}

TEST(GroupNormTest, NamesTheServerWhoseSquaresAreMissing) {
  StepsOfAServer server("nservers_per_group: 2", kClipped);
  server.PutAll();
  server.Give(0, 0, 0, 0, {3, 0, 0});
  EXPECT_EQ(server.steps.Waiting(),
            "step 0 of worker group 0 waits for the squares of server 1, since 0.0 s");
}

TEST(GroupNormTest, CountsTheSlicesThatAreMissing) {
  StepsOfAServer server("", kClipped);
  server.PutAll();
  server.Give(0, 0, 0, 0, {3, 0, 0});
  EXPECT_EQ(server.steps.Waiting(),
            "step 0 of worker group 0 waits for 1 other slice, since 0.0 s");
}

TEST(GroupNormTest, ASumOfSquaresThatIsNotFiniteIsTold) {
  StepsOfAServer server("nservers_per_group: 2", kClipped);
  server.PutAll();
  server.Give(0, 0, 0, 0, {3, 0, 0});
  const double squares[] = {std::nan("")};
  EXPECT_TRUE(server.steps.OnSquares(0, 1, 0, 0, squares));
  EXPECT_EQ(server.diverged,
            (std::vector<std::string>{"step 0: the gradient of all params is not finite"}));
  EXPECT_EQ(server.Values(0)[0], 10);
}

}  // namespace
}  // namespace singa
