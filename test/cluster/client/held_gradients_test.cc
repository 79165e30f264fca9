#include "cluster/client/held_gradients.h"

#include <gtest/gtest.h>

#include <vector>

namespace singa::held_gradients {
namespace {

struct Gradients {
  explicit Gradients(float clip) : held(table, clip) {}
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
  HeldGradients held(table, 1);
  std::vector<float> first(3000, 0.25f), second(3000, 0.75f);
  std::vector<float*> sums = {first.data(), second.data()};
  held.Hold(Context(), 0, 0, sums);
  EXPECT_DOUBLE_EQ(held.Clip(0) * held.Clip(0), 3000);
}

}  // namespace
}  // namespace singa::held_gradients
