#include "math/layout/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "math/layout/blocks_elements.h"
#include "support/elements.h"
#include "support/random_values.h"

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

TEST(AddBlocks, AddsEachBlockAtItsPlace) {
  const Values x = {1, 2, 3, 4, 5, 6, 7, 8};
  Values y(10, 10);
  Context ctx;
  AddBlocks(ctx, x.data(), 3, y.data(), 4, 3, 2);
  EXPECT_EQ(y, (Values{11, 12, 10, 10, 14, 15, 10, 10, 17, 18}));
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

// These tests run on the host the code of a device's threads, and compare with the CPU's kernels.
namespace blocks_elements {

struct Case {
  int64_t n, size, x_stride, y_stride;
  // Returns the size of y's memory, with one number before y and one behind.
  int64_t memory() const { return n * y_stride + 2; }
};
// The blocks are apart, side by side, one block, of one number, of no number, and no blocks.
const Case kCases[] = {{3, 2, 3, 4}, {5, 7, 9, 8}, {4, 6, 6, 6}, {1, 5, 5, 5},
                       {9, 1, 2, 3}, {2, 0, 1, 1}, {0, 3, 3, 3}};
constexpr float kUntouched = -77;

void ExpectBlocks(const Values& got, const Values& want, const Case& c) {
  EXPECT_EQ(got, want) << c.n << " of " << c.size;
  EXPECT_EQ(std::count(got.begin(), got.end(), kUntouched), c.memory() - c.n * c.size)
      << "beyond its blocks";
}

template <typename Element, typename Blocks>
void ExpectMovedAsByTheCpu(const Blocks& blocks) {
  Context ctx;
  for (const Case& c : kCases) {
    const Values x = RandomValues("x", c.n * c.x_stride);
    Values want(c.memory(), kUntouched), y = want;
    blocks(ctx, x.data(), c.x_stride, want.data() + 1, c.y_stride, c.n, c.size);
    RunElements(c.n * c.size, Element{x.data(), c.x_stride, y.data() + 1, c.y_stride, c.size});
    ExpectBlocks(y, want, c);
  }
}

TEST(CopyBlocksElement, CopiesAsTheCpuDoesAndNothingElse) {
  ExpectMovedAsByTheCpu<CopyBlocksElement>(CopyBlocks);
}

TEST(AddBlocksElement, AddsAsTheCpuDoesAndNothingElse) {
  ExpectMovedAsByTheCpu<AddBlocksElement>(AddBlocks);
}

TEST(ZeroBlocksElement, ZeroesAsTheCpuDoesAndNothingElse) {
  Context ctx;
  for (const Case& c : kCases) {
    Values want(c.memory(), kUntouched), y = want;
    ZeroBlocks(ctx, want.data() + 1, c.y_stride, c.n, c.size);
    RunElements(c.n * c.size, ZeroBlocksElement{y.data() + 1, c.y_stride, c.size});
    ExpectBlocks(y, want, c);
  }
}

}  // namespace blocks_elements
}  // namespace
}  // namespace singa
