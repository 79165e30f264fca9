#include "io/checkpoint/name_map.h"

#include <gtest/gtest.h>

#include "io/checkpoint/shape_fit.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the error of a map; "": it has none.
std::string ErrorOf(const std::string& text) {
  try {
    ParseNameMap(text, "M");
    return "";
  } catch (const DataError& error) {
    return error.what();
  }
}

TEST(NameMapTest, ALineHasNamesAShapeAndWhetherToTranspose) {
  const TempDir dir;
  const auto pairs = ReadNameMap(dir.Write(
      "map",
      "# file net\n\nconv.weight  c_0 64,3,7,7\r\n\tfc.weight w 10,5 transpose # last\nb b\n"
      "t u transpose"));
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].in_file, "conv.weight");
  EXPECT_EQ(pairs[0].in_net, "c_0");
  EXPECT_EQ(pairs[0].shape, (Shape{64, 3, 7, 7}));
  EXPECT_FALSE(pairs[0].transpose);
  EXPECT_EQ(pairs[0].line, 3);
  EXPECT_EQ(pairs[1].shape, (Shape{10, 5}));
  EXPECT_TRUE(pairs[1].transpose);
  EXPECT_EQ(pairs[2].shape, std::nullopt);
  EXPECT_TRUE(pairs[3].transpose);
}

TEST(NameMapTest, AByteOrderMarkIsNoPartOfAName) {
  const std::vector<NamePair> pairs = ParseNameMap(
      "\xEF\xBB\xBF"
      "a b\n",
      "M");
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].in_file, "a");
}

TEST(NameMapTest, AWrongLineIsAnErrorWithItsNumber) {
  EXPECT_EQ(ErrorOf("a b\nc\n"), "M: line 2: needs two names: in the file, in the net");
  EXPECT_EQ(ErrorOf("a b\n\na c"), "M: line 3: \"a\" in the file is that of line 1");
  EXPECT_EQ(ErrorOf("a b\nc b"), "M: line 2: \"b\" in the net is that of line 1");
  EXPECT_EQ(ErrorOf("a b 3x4"),
            "M: line 1: must be a shape such as 64,3,7,7 or \"transpose\", is \"3x4\"");
  EXPECT_EQ(ErrorOf("a b\n__metadata__ c"),
            "M: line 2: no param can have the name \"__metadata__\"");
  EXPECT_EQ(ErrorOf("c __metadata__"), "M: line 1: no param can have the name \"__metadata__\"");
  EXPECT_NE(ErrorOf("a\xff b").find("M: line 1: the name "), std::string::npos);
  EXPECT_NE(ErrorOf("a\xff b").find(" is not UTF-8"), std::string::npos);
  EXPECT_EQ(ErrorOf("\xc3\xa4 b"), "");
  for (const char* const text :
       {"a b 0", "a b -1", "a b 1,", "a b ,1", "a b 1,1,1,1,1,1,1,1,1", "a b 99999999999999999999",
        "a b 1 2", "a b transpose 1", "a b transpose transpose"})
    EXPECT_NE(ErrorOf(text), "") << text;
}

TEST(SameOrderTest, SizesOfOneAndProductsOfNeighboursDoNotMatter) {
  EXPECT_TRUE(SameOrder({16, 3, 5, 5}, {16, 75}));
  EXPECT_TRUE(SameOrder({16, 75}, {16, 3, 5, 5}));
  EXPECT_TRUE(SameOrder({1, 16, 1}, {16}));
  EXPECT_TRUE(SameOrder({2, 3, 4}, {24}));
  EXPECT_TRUE(SameOrder({}, {1, 1}));
  EXPECT_TRUE(SameOrder({7}, {7}));
}

TEST(SameOrderTest, OtherShapesOfTheSameSizeDoNotFit) {
  EXPECT_FALSE(SameOrder({75, 16}, {16, 75}));
  EXPECT_FALSE(SameOrder({4, 6}, {2, 12}));
  EXPECT_FALSE(SameOrder({4, 6}, {3, 8}));
  EXPECT_FALSE(SameOrder({2, 3}, {2, 4}));
  EXPECT_FALSE(SameOrder({2, 3}, {2}));
}

TEST(ShapeFitTest, AMatrixThatMayTurnIsTransposedIfItsSizesAreTheOtherWayRound) {
  const std::vector<ParamShapes> params = {
      {{2, 3}, {3, 2}, true}, {{2, 3}, {3, 2}, false}, {{3, 2}, {3, 2}, true}, {{4}, {5}, true}};
  EXPECT_EQ(FitsOf(params), std::vector<ShapeFit>({ShapeFit::kTransposed, ShapeFit::kNone,
                                                   ShapeFit::kSameOrder, ShapeFit::kNone}));
}

TEST(ShapeFitTest, ASquareMatrixFollowsTheOthersOfItsFile) {
  const ParamShapes square{{3, 3}, {3, 3}, true}, fixed{{3, 3}, {3, 3}},
      turned{{2, 3}, {3, 2}, true};
  EXPECT_EQ(FitsOf(std::vector{square, fixed}),
            std::vector<ShapeFit>({ShapeFit::kSameOrder, ShapeFit::kSameOrder}));
  EXPECT_EQ(
      FitsOf(std::vector{square, fixed, turned}),
      std::vector<ShapeFit>({ShapeFit::kTransposed, ShapeFit::kSameOrder, ShapeFit::kTransposed}));
}

}  // namespace
}  // namespace singa
