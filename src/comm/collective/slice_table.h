// Slices: the cuts that params are summed, updated, sent and served in. They follow from the params
// alone, so that sums and norms over them are the same numbers in every topology.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "singa/tensor/shape.h"

namespace singa {

struct Slice {
  int param = 0;  // by its place in the list that the table was made of
  int64_t begin = 0, size = 0;
};

class SliceTable {
 public:
  static constexpr int64_t kMost = 1 << 17;  // floats: with what they change in a cache
  static constexpr int64_t kLeastRows = 16;  // a gemm is fastest at multiples of it

  SliceTable() = default;
  // A slice has at most total / 64 floats, rounded to whole rows where a row is small enough, but
  // 1024 are never cut, and kMost is never passed.
  explicit SliceTable(const std::vector<Shape>& params);

  const std::vector<Slice>& slices() const { return slices_; }
  const Slice& operator[](int i) const { return slices_[i]; }
  int size() const { return static_cast<int>(slices_.size()); }
  int64_t elements() const { return elements_; }
  int params() const { return static_cast<int>(first_.size()) - 1; }
  int64_t size_of(int param) const {
    const Slice& last = slices_[first_[param + 1] - 1];
    return last.begin + last.size;
  }
  // Slices [first, second) are those of `param`, in order.
  std::pair<int, int> OfParam(int param) const { return {first_[param], first_[param + 1]}; }

 private:
  std::vector<Slice> slices_;
  std::vector<int> first_ = {0};
  int64_t elements_ = 0;
};

// Cuts `slices` into `parts` runs of about as many elements: run i is slices [result[i],
// result[i + 1]). Each boundary is where a run's end is nearest to its share.
std::vector<int> CutEvenly(const SliceTable& table, int parts);

}  // namespace singa
