#include "cluster/client/held_gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/cluster/cluster_of_roles.h"

namespace singa::held_gradients {
namespace {

struct Gradients {
  explicit Gradients(float clip, int processes = 1) : held(table, clip, processes) {}
  void Hold(int slice, std::vector<float*> sums, int64_t step = 7) {
    held.Hold(ctx, slice, step, sums);
  }

  const SliceTable table{{{2}, {1}}};
  HeldGradients held;
  Context ctx;
  std::vector<float> a = {1, 2}, b = {2, -2}, c = {4};
};

// The two nodes of slice 0 add up to (3, 0), and slice 1 is 4: the norm is 5.
TEST(HeldGradients, ANormIsThatOfTheSumOverTheNodes) {
  Gradients one(2.5);
  one.Hold(1, {one.c.data()});
  one.Hold(0, {one.a.data(), one.b.data()});
  EXPECT_EQ(one.held.Clip(7), 5);
  EXPECT_EQ(one.a, (std::vector<float>{0.5, 1}));
  EXPECT_EQ(one.b, (std::vector<float>{1, -1}));
  EXPECT_EQ(one.c, (std::vector<float>{2}));
  EXPECT_EQ(one.held.sums(0)[1], one.b.data());
}

TEST(HeldGradients, ASmallGradientIsLeftAsItIs) {
  Gradients one(5), unbounded(0);
  for (Gradients* some : {&one, &unbounded}) {
    some->Hold(0, {some->a.data(), some->b.data()});
    some->Hold(1, {some->c.data()});
    EXPECT_EQ(some->held.Clip(7), some == &one ? 5 : 0);
    EXPECT_EQ(some->a, (std::vector<float>{1, 2}));
    EXPECT_EQ(some->c, (std::vector<float>{4}));
  }
}

// The bound is 5 / sqrt(4). The norm of the group's gradient is about sqrt(4) times the norm here.
TEST(HeldGradients, TheBoundOfAProcessIsThatOfTheSumByTheRootOfTheirNumber) {
  Gradients one(5, 4);
  one.Hold(0, {one.a.data(), one.b.data()});
  one.Hold(1, {one.c.data()});
  EXPECT_EQ(one.held.Clip(7), 10);
  EXPECT_EQ(one.a, (std::vector<float>{0.5, 1}));
  EXPECT_EQ(one.c, (std::vector<float>{2}));
}

// Worker i of 2, one a process, has part i of param 0, and worker 0 alone computes all of param 1.
TEST(HeldGradients, OnlyProcessesThatContributeCount) {
  const Topology topology(JobOf("", "nworkers_per_group: 2").cluster());
  const std::vector<Shape> shapes = {{2, 1}, {3}};
  const ParamDivision halves{.parts = 2, .contributors = 1}, first{.parts = 1, .contributors = 1};
  EXPECT_EQ(ContributingProcesses(topology, 0, SliceTable(shapes)), 2);
  EXPECT_EQ(ContributingProcesses(topology, 0, SliceTable(shapes, {halves, first})), 2);
  EXPECT_EQ(ContributingProcesses(topology, 0, SliceTable(shapes, {first, first})), 1);
}

// Added in the order of the slices, the small squares are lost behind the first one. Added before
// it, they are not.
TEST(HeldGradients, TheOrderInWhichSlicesComeChangesNoBit) {
  constexpr int kSlices = 9;
  const SliceTable table(std::vector<Shape>(kSlices, {1}));
  std::vector<double> norms;
  for (const bool backwards : {false, true}) {
    HeldGradients held(table, 10, 1);
    std::vector<float> values(kSlices, 1e-8f);
    values[0] = 1;
    for (int i = 0; i < kSlices; ++i) {
      const int slice = backwards ? kSlices - 1 - i : i;
      float* const sums[] = {&values[slice]};
      held.Hold(Context(), slice, 0, sums);
    }
    norms.push_back(held.Clip(0));
  }
  EXPECT_EQ(norms, (std::vector<double>{1, 1}));
}

// No float32 holds the sum of the two nodes.
TEST(HeldGradients, ANormBeyondFloat32IsBounded) {
  Gradients one(1e30f);
  one.a = one.b = {3e38f, 0};
  one.Hold(0, {one.a.data(), one.b.data()});
  EXPECT_NEAR(one.held.Clip(7) / 6e38, 1, 1e-6);
  EXPECT_NEAR(one.a[0] / 5e29, 1, 1e-6);
  EXPECT_EQ(one.a, one.b);
}

// No float32 holds the squares.
TEST(HeldGradients, SquaresBeyondFloat32AreBounded) {
  Gradients one(5);
  one.a = {3e38f, -3e38f};
  one.c = {3e38f};
  one.Hold(0, {one.a.data()});
  one.Hold(1, {one.c.data()});
  EXPECT_NEAR(one.held.Clip(7) / (std::sqrt(3) * 3e38), 1, 1e-6);
  for (const float x : {one.a[0], -one.a[1], one.c[0]}) EXPECT_NEAR(x, 5 / std::sqrt(3), 1e-5);
}

TEST(HeldGradients, ANormCanBeComputedWithoutABound) {
  Gradients one(HeldGradients::kUnbounded);
  one.Hold(0, {one.a.data(), one.b.data()});
  one.Hold(1, {one.c.data()});
  EXPECT_EQ(one.held.Clip(7), 5);
  EXPECT_EQ(one.a, (std::vector<float>{1, 2}));
  EXPECT_EQ(one.c, (std::vector<float>{4}));
}

// Worker 1 of 2 has slice 1, and worker 0 slice 0.
TEST(HeldGradients, EachWorkerBoundsItsShareByTheNormOfAll) {
  Gradients one(2.5);
  one.Hold(0, {one.a.data(), one.b.data()});
  one.Hold(1, {one.c.data()});
  EXPECT_EQ(one.held.Clip(7, 1, 2), 5);
  EXPECT_EQ(one.a, (std::vector<float>{1, 2}));
  EXPECT_EQ(one.c, (std::vector<float>{2}));
  EXPECT_EQ(one.held.Clip(7, 0, 2), 5);
  EXPECT_EQ(one.a, (std::vector<float>{0.5, 1}));
  EXPECT_EQ(one.c, (std::vector<float>{2}));
}

TEST(HeldGradients, OnlyTheStepCounts) {
  Gradients one(1);
  one.Hold(0, {one.a.data()}, 6);
  one.Hold(1, {one.c.data()});
  EXPECT_FALSE(one.held.Has(0, 7));
  EXPECT_TRUE(one.held.Has(1, 7));
  EXPECT_EQ(one.held.Clip(7), 4);
  EXPECT_EQ(one.a, (std::vector<float>{1, 2})) << "of an earlier step";
  EXPECT_EQ(one.c, (std::vector<float>{1}));
}

TEST(HeldGradients, LongSumsOfNodesAreAddedInBlocks) {
  const SliceTable table(std::vector<Shape>{{1, 3000}});
  ASSERT_EQ(table.size(), 1);
  HeldGradients held(table, 1, 1);
  std::vector<float> first(3000, 0.25f), second(3000, 0.75f);
  std::vector<float*> sums = {first.data(), second.data()};
  held.Hold(Context(), 0, 0, sums);
  EXPECT_DOUBLE_EQ(held.Clip(0) * held.Clip(0), 3000);
}

}  // namespace
}  // namespace singa::held_gradients
