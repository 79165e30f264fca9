// Tests the only order in which numbers of workers are added up, whatever process adds them.
#include "math/reduction/sum_tree.h"

#include <gtest/gtest.h>

#include "singa/base/philox.h"
#include "support/add_neighbours.h"

namespace singa {
namespace {

using Vectors = std::vector<std::vector<float>>;

Vectors NumbersOf(int workers, int64_t n) {
  Vectors all;
  for (int w = 0; w < workers; ++w) {
    const Philox philox = {1, HashName("numbers"), static_cast<uint32_t>(w)};
    std::vector<float>& numbers = all.emplace_back(n);
    for (int64_t i = 0; i < n; ++i) numbers[i] = philox.Gaussian(i);
  }
  return all;
}

std::vector<float> Sum(SumNode node, const std::vector<SumNode>& parts, const Vectors& data) {
  std::vector<const float*> at;
  for (const std::vector<float>& one : data) at.push_back(one.data());
  std::vector<float> sum(data[0].size());
  AddUp<float>(node, parts, at, static_cast<int64_t>(sum.size()), sum.data());
  return sum;
}

// Returns the sum that a process with the workers of `node` makes.
std::vector<float> SumOfWorkers(SumNode node, const Vectors& all) {
  std::vector<SumNode> leaves;
  for (int w = node.first; w < node.last; ++w) leaves.push_back({w, w + 1});
  return Sum(node, leaves, {all.begin() + node.first, all.begin() + node.last});
}

TEST(SumTree, NeighboursAreAddedUntilOneIsLeft) {
  for (int workers = 1; workers <= 40; ++workers) {
    const Vectors all = NumbersOf(workers, 33);
    ASSERT_EQ(SumOfWorkers({0, workers}, all), AddNeighbours(all)) << workers << " workers";
  }
}

TEST(SumTree, LongRowsAreAddedAsShortOnes) {
  const Vectors all = NumbersOf(7, 5000);
  EXPECT_EQ(SumOfWorkers({0, 7}, all), AddNeighbours(all));
}

TEST(SumTree, TheSumMayTakeTheFirstOnesPlace) {
  Vectors all = NumbersOf(6, 3000);
  const std::vector<float> expected = AddNeighbours(all);
  std::vector<SumNode> leaves;
  std::vector<const float*> at;
  for (int w = 0; w < 6; ++w) {
    leaves.push_back({w, w + 1});
    at.push_back(all[w].data());
  }
  AddUp<float>({0, 6}, leaves, at, 3000, all[0].data());
  EXPECT_EQ(all[0], expected);
}

TEST(SumTree, NodesOfAProcessAreTheLargestThatItHas) {
  const SumTree tree(6);
  EXPECT_EQ(tree.NodesOf({0, 6}), (std::vector<SumNode>{{0, 6}}));
  EXPECT_EQ(tree.NodesOf({0, 3}), (std::vector<SumNode>{{0, 2}, {2, 3}}));
  EXPECT_EQ(tree.NodesOf({3, 6}), (std::vector<SumNode>{{3, 4}, {4, 6}}));
  EXPECT_EQ(tree.NodesOf({2, 4}), (std::vector<SumNode>{{2, 4}}));
  EXPECT_TRUE(tree.NodesOf({3, 3}).empty());
}

// Tries each way to cut the workers into processes: bit w of `cuts` begins a process at worker w +
// 1.
TEST(SumTree, BitsDoNotDependOnWhichProcessHasWhichWorkers) {
  for (int workers = 2; workers <= 9; ++workers) {
    const Vectors all = NumbersOf(workers, 5);
    const std::vector<float> expected = AddNeighbours(all);
    for (unsigned cuts = 0; cuts < 1U << (workers - 1); ++cuts) {
      std::vector<SumNode> nodes;
      Vectors sums;
      for (int first = 0, w = 1; w <= workers; ++w) {
        if (w < workers && (cuts >> (w - 1) & 1) == 0) continue;
        for (const SumNode& node : SumTree(workers).NodesOf({first, w})) {
          nodes.push_back(node);
          sums.push_back(SumOfWorkers(node, all));
        }
        first = w;
      }
      ASSERT_EQ(Sum({0, workers}, nodes, sums), expected) << workers << " workers, " << cuts;
    }
  }
}

TEST(SumTree, TheLargestGroupFits) {
  EXPECT_EQ(DepthOf({0, 1}), 0);
  EXPECT_EQ(DepthOf({0, 5}), 3);
  EXPECT_EQ(DepthOf({0, SumTree::kMostWorkers}), SumTree::kMostDepth);
  const Vectors all = NumbersOf(SumTree::kMostWorkers, 2);
  EXPECT_EQ(SumOfWorkers({0, SumTree::kMostWorkers}, all), AddNeighbours(all));
}

}  // namespace
}  // namespace singa
