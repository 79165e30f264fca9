// Tests gradients that a process sends when all of a step are there: each process clips its own,
// and a step without effect leaves nothing for the next.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "support/cluster/updates_of_a_process.h"

namespace singa::held_updates {
namespace {

// Each process bounds its own gradient, here of norm 5, by 5 / sqrt(2 processes).
TEST(HeldUpdates, AGradientIsClippedBeforeWhatIsLeftOut) {
  UpdatesOfAProcess process(false, 2, "clip_norm: 5", kAboveTwo);
  process.Begin();
  std::vector<float> sums[] = {{3, 0, 0}, {4, 0}};
  for (int slice : {1, 0}) {
    float* const data[] = {sums[slice].data()};
    process.updates.Submit(process.ctx, slice, 0, data);
  }
  EXPECT_EQ(process.Sent(), "") << "the norm is not known";
  process.Finish(0);
  EXPECT_EQ(process.Sent(), "kUpdate 0 0x3 1x2;");
  const float half = std::sqrt(0.5f);
  EXPECT_FLOAT_EQ(sums[0][0], 3 * half);
  EXPECT_FLOAT_EQ(process.updates.encoder()->state(0)[0], 3 * half) << "below the threshold";
  EXPECT_EQ(process.updates.encoder()->state(1)[0], 0) << "4 x half was sent";
  EXPECT_NEAR(process.updates.GradientNorm(0), 5 * std::sqrt(2), 1e-5);
}

// Three workers push two slices, in any order. The last one sends the parts that wait for more.
TEST(HeldUpdates, AllWorkersEncodeAShare) {
  for (const std::vector<int>& order : {std::vector<int>{0, 1, 2}, {2, 1, 0}}) {
    UpdatesOfAProcess process(false, 1, "clip_norm: 5", kAboveTwo);
    process.Begin();
    std::vector<float> sums[] = {{6, 0, 0}, {8, 0}};
    for (int slice : {1, 0}) {
      float* const data[] = {sums[slice].data()};
      process.updates.Submit(process.ctx, slice, 0, data);
    }
    for (const int worker : order) {
      EXPECT_EQ(process.Sent(), "");
      process.updates.Finish(process.ctx, 0, worker, 3, {});
    }
    EXPECT_EQ(process.Sent(), order[0] == 0 ? "kUpdate 0 0x3 1x2;" : "kUpdate 0 1x2 0x3;");
    EXPECT_FLOAT_EQ(sums[0][0], 3);
    EXPECT_FLOAT_EQ(sums[1][0], 4);
    EXPECT_EQ(process.updates.GradientNorm(0), 10);
  }
}

TEST(HeldUpdates, AStepHasANormUnlessItIsSkipped) {
  for (const float first : {3.f, std::nanf("")}) {
    UpdatesOfAProcess process(true, 1, "clip_norm: 50", kAboveTwo);
    process.Begin();
    std::vector<float> sums[] = {{first, 0, 0}, {4, 0}};
    for (int slice : {0, 1}) {
      float* const data[] = {sums[slice].data()};
      process.updates.Submit(process.ctx, slice, 0, data);
    }
    process.Finish(0);
    EXPECT_EQ(process.updates.skipped(0), first != 3);
    EXPECT_EQ(StrCat(process.updates.GradientNorm(0)), first == 3 ? "5" : "nan");
  }
}

TEST(HeldUpdates, ASkippedStepLeavesNothingForTheNext) {
  for (const double lacks : {0., 1.}) {
    UpdatesOfAProcess process(true, 2, "", kAboveTwo);
    process.Begin();
    std::vector<float> sums[] = {{1, 2, 0}, {4, 0}};
    for (int slice : {0, 1}) {
      float* const data[] = {sums[slice].data()};
      process.updates.Submit(process.ctx, slice, 0, data);
    }
    std::thread other([&] {
      double dropped = lacks;
      LinkCollective(process.links[1], process.topology.ProcessNodes(0))
          .AllReduceOfRanks({&dropped, 1});
    });
    process.Finish(0);
    other.join();
    EXPECT_EQ(process.updates.skipped(0), lacks > 0);
    EXPECT_EQ(process.Sent(), lacks > 0 ? "kUpdate 0 0x0 1x0;" : "kUpdate 0 0x3 1x2;");
    EXPECT_EQ(process.updates.encoder()->state(0)[1], lacks > 0 ? 0 : 2);
  }
}

}  // namespace
}  // namespace singa::held_updates
