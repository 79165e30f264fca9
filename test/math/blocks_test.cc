#include "math/blocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace singa {
namespace {

using Values = std::vector<float>;

TEST(CopyBlocks, TakesEachBlockFromItsPlaceToItsPlace) {
  const Values x = {1, 2, 3, 4, 5, 6, 7, 8};  // three blocks of 2, 3 apart
  Values y(10, -1);
  Context ctx;
  CopyBlocks(ctx, x.data(), 3, y.data(), 4, 3, 2);
  EXPECT_EQ(y, (Values{1, 2, -1, -1, 4, 5, -1, -1, 7, 8}));
}

TEST(CopyBlocks, ThatLieSideBySideAreOne) {
  const Values x = {1, 2, 3, 4, 5, 6};
  Values y(7, -1);
  Context ctx;
  CopyBlocks(ctx, x.data(), 2, y.data(), 2, 3, 2);
  EXPECT_EQ(y, (Values{1, 2, 3, 4, 5, 6, -1}));
}

TEST(ZeroBlocks, LeavesWhatIsBetweenThem) {
  Values y = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  Context ctx;
  ZeroBlocks(ctx, y.data() + 1, 3, 2, 2);
  EXPECT_EQ(y, (Values{1, 0, 0, 4, 0, 0, 7, 8, 9}));
}

TEST(Blocks, OfNoNumbersChangeNothing) {
  const Values x = {1, 2};
  Values y = {3, 4};
  Context ctx;
  CopyBlocks(ctx, x.data(), 1, y.data(), 1, 0, 1);
  CopyBlocks(ctx, x.data(), 1, y.data(), 1, 2, 0);
  ZeroBlocks(ctx, y.data(), 1, 0, 1);
  ZeroBlocks(ctx, y.data(), 1, 2, 0);
  EXPECT_EQ(y, (Values{3, 4}));
}

}  // namespace
}  // namespace singa
