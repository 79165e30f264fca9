#include "driver/onnx/import/unit_view.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(UnitView, CutsUnitsAndJoinsThem) {
  const UnitView rows = ViewInOrder({kFreeRows, 12});
  const auto cut = ReshapedView(rows, {kFreeSteps, kFreeBatch, 3, 2, 2}, -1, -1);
  ASSERT_TRUE(cut);
  EXPECT_EQ(DimsOf(*cut), (Sizes{kFreeSteps, kFreeBatch, 3, 2, 2}));
  EXPECT_TRUE(IsInOrder(*cut));
  const UnitView turned = Transposed(*cut, {2, 1, 3, 0, 4});
  EXPECT_EQ(DimsOf(turned), (Sizes{3, kFreeBatch, 2, kFreeSteps, 2}));
  EXPECT_FALSE(IsInOrder(turned));
  const auto back = ReshapedView(Transposed(turned, {3, 1, 0, 2, 4}), {-1, 12}, -1, -1);
  ASSERT_TRUE(back);
  EXPECT_EQ(DimsOf(*back), (Sizes{kFreeRows, 12}));
  EXPECT_TRUE(IsInOrder(*back));
}

TEST(UnitView, KnowsTheNumbersOfTheFile) {
  const UnitView rows = ViewInOrder({kFreeRows, 6});
  const auto cut = ReshapedView(rows, {5, 8, 6}, 8, 5);
  ASSERT_TRUE(cut);
  EXPECT_EQ(DimsOf(*cut), (Sizes{kFreeSteps, kFreeBatch, 6}));
  EXPECT_FALSE(ReshapedView(rows, {5, 8, 6}, -1, 5));
  EXPECT_FALSE(ReshapedView(rows, {-1, 4}, 8, 5));
  EXPECT_FALSE(ReshapedView(rows, {-1, -1}, 8, 5));
}

}  // namespace
}  // namespace singa
