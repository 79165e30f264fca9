// SumTree is the order in which the numbers of a group's workers are added up: a binary tree that
// follows from the count of workers alone. Threads, shared memory and servers all add in this
// order, so that they get the same bits in all topologies.
//
// A node is a run of workers. The left part of a node of several workers has as many of them as the
// largest power of two below their number. The node's sum is the left part's plus the right part's:
//   5 workers: ((w0 + w1) + (w2 + w3)) + w4
// A process that has all of a node's workers can add the node up by itself.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace singa {

// A node: workers [first, last) of their group.
struct SumNode {
  int first = 0, last = 0;
  int workers() const { return last - first; }
  int middle() const {
    return first + static_cast<int>(std::bit_floor(static_cast<unsigned>(workers() - 1)));
  }
  SumNode left() const { return {first, middle()}; }
  SumNode right() const { return {middle(), last}; }
  bool operator==(const SumNode&) const = default;
};

class SumTree {
 public:
  static constexpr int kMostWorkers = 4096;
  static constexpr int kMostDepth = 12;              // of the tree over kMostWorkers
  static constexpr int kMostNodes = 2 * kMostDepth;  // most that make up a run of workers

  explicit SumTree(int workers) : root_{0, workers} {}

  SumNode root() const { return root_; }
  // Returns the nodes whose workers are all in `run` and whose parents' are not, in order. A
  // process with these workers adds them up and sends them.
  std::vector<SumNode> NodesOf(SumNode run) const {
    std::vector<SumNode> nodes;
    Collect(root_, run, &nodes);
    return nodes;
  }

 private:
  static void Collect(SumNode node, SumNode run, std::vector<SumNode>* nodes) {
    if (node.last <= run.first || node.first >= run.last) return;
    if (node.first >= run.first && node.last <= run.last) return nodes->push_back(node);
    Collect(node.left(), run, nodes);
    Collect(node.right(), run, nodes);
  }

  const SumNode root_;
};

// Returns the depth of the tree below `node`: 0 for one worker.
inline int DepthOf(SumNode node) {
  return std::bit_width(static_cast<unsigned>(node.workers() - 1));
}

// Walks the tree below `node`, left before right. If is_part(node), leaf(node, slot) returns the
// node's sum; else add(a, b, slot) returns the sum of two results. Slots [slot, slot +
// DepthOf(node)] at most are in use. A result may lie in its slot: a in `slot`, b in the next one.
template <typename IsPart, typename Leaf, typename Add>
auto WalkSumTree(SumNode node, int slot, const IsPart& is_part, const Leaf& leaf, const Add& add) {
  if (is_part(node)) return leaf(node, slot);
  const auto a = WalkSumTree(node.left(), slot, is_part, leaf, add);
  const auto b = WalkSumTree(node.right(), slot + 1, is_part, leaf, add);
  return add(a, b, slot);
}

// Writes the sum of `node` to sum[n]. The nodes for which is_part holds have the sums
// sum_of(part)[n]. `sum` may be that of the first part. Allocates nothing.
template <typename T, typename IsPart, typename SumOf>
void AddUpNode(SumNode node, const IsPart& is_part, const SumOf& sum_of, int64_t n, T* sum) {
  constexpr int64_t kBlock = 4096 / sizeof(T);  // elements; all sums stay in the first cache
  std::array<std::array<T, kBlock>, SumTree::kMostDepth> sums;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = std::min(kBlock, n - begin);
    const auto leaf = [&](SumNode part, int) -> const T* { return sum_of(part) + begin; };
    const auto add = [&](const T* a, const T* b, int slot) -> const T* {
      T* const to = slot == 0 ? sum + begin : sums[slot - 1].data();
#pragma omp simd
      for (int64_t i = 0; i < size; ++i) to[i] = a[i] + b[i];
      return to;
    };
    const T* const all = WalkSumTree(node, 0, is_part, leaf, add);
    if (all != sum + begin) std::copy_n(all, size, sum + begin);
  }
}

// Adds up numbers_of(worker)[0..n) of the workers of `node`.
template <typename T, typename NumbersOf>
void AddUpWorkers(SumNode node, const NumbersOf& numbers_of, int64_t n, T* sum) {
  AddUpNode(
      node, [](SumNode one) { return one.workers() == 1; },
      [&](SumNode one) -> const T* { return numbers_of(one.first); }, n, sum);
}

// Adds up `node` from its parts, in order. Part i has the sums data[i][0..n).
template <typename T>
void AddUp(SumNode node, std::span<const SumNode> parts, std::span<const T* const> data, int64_t n,
           T* sum) {
  const auto place = [&](SumNode one) {
    return std::ranges::lower_bound(parts, one.first, {}, &SumNode::first) - parts.begin();
  };
  AddUpNode(
      node, [&](SumNode one) { return parts[place(one)] == one; },
      [&](SumNode one) { return data[place(one)]; }, n, sum);
}

}  // namespace singa
