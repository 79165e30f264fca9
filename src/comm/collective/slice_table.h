// SliceTable cuts params into slices; sums, updates, messages and servers work on slices. The
// slices follow from the params alone, so that sums and norms over them are the same numbers in
// every topology.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "math/reduction/sum_tree.h"
#include "singa/tensor/shape.h"

namespace singa {

// The workers of a group that each compute a part of a sum: `count` workers from `first` on,
// `stride` apart. count 0: all workers of the group.
struct Contributors {
  int first = 0, stride = 1, count = 0;

  auto operator<=>(const Contributors&) const = default;  // NOLINT(modernize-use-nullptr)

  bool all() const { return count == 0; }
  // Returns whether each of `workers` has a part of the param for itself, which it alone computes
  // and reads.
  bool EachAlone(int workers) const { return count == 1 && stride == workers; }
  // Returns contributor `place`, counted among the contributors.
  int Worker(int place) const { return first + place * stride; }
  // Returns the contributors' tree's nodes that workers `run` of the group add up. Nodes are of
  // places. REQUIRES: not all().
  std::vector<SumNode> NodesOf(SumNode run) const {
    const auto place = [&](int worker) {
      return std::clamp((worker - first + stride - 1) / stride, 0, count);
    };
    return SumTree(count).NodesOf({place(run.first), place(run.last)});
  }
};

struct Slice {
  int param = 0;  // index in the list that the table was made of
  int64_t begin = 0, size = 0;
  Contributors by;  // of its gradient
};

// How the workers of a group divide a param.
struct ParamDivision {
  int parts = 1;         // parts of its rows (PartOf); worker i has part i % parts
  int contributors = 0;  // workers that compute the gradient of a part; 0: all of the group
};

class SliceTable {
 public:
  // Floats: a slice fits in a cache with the values that it updates.
  static constexpr int64_t kMost = 1 << 17;
  static constexpr int64_t kLeastRows = 16;  // a gemm is fastest at multiples of this number

  SliceTable() = default;
  // Cuts params into slices of at most total / 64 floats; this bound is at least 1024 and at most
  // kMost. Cuts are at multiples of kLeastRows rows, unless so many rows exceed kMost. A slice has
  // rows of one part of a param that workers divide. No divisions: each worker has all params.
  explicit SliceTable(const std::vector<Shape>& params,
                      const std::vector<ParamDivision>& divisions = {});

  const std::vector<Slice>& slices() const { return slices_; }
  const Slice& operator[](int i) const { return slices_[i]; }
  int size() const { return static_cast<int>(slices_.size()); }
  int64_t elements() const { return elements_; }
  int params() const { return static_cast<int>(first_.size()) - 1; }
  int64_t size_of(int param) const {
    const Slice& last = slices_[first_[param + 1] - 1];
    return last.begin + last.size;
  }
  // Returns [first, second), the slices of `param` in order.
  std::pair<int, int> OfParam(int param) const { return {first_[param], first_[param + 1]}; }

 private:
  // Cuts elements [begin, end) of `param` into slices of `run` elements.
  void Cut(int param, int64_t begin, int64_t end, int64_t run, const Contributors& by);

  std::vector<Slice> slices_;
  std::vector<int> first_ = {0};
  int64_t elements_ = 0;
};

// Cuts `slices` of `table` into `parts` runs of about equally many elements. Run i is
// slices[result[i]] to slices[result[i + 1] - 1]. Each boundary is where a run's end is nearest to
// its share.
std::vector<int> CutEvenly(const SliceTable& table, const std::vector<int>& slices, int parts);

}  // namespace singa
