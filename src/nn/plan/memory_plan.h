// Where every tensor of a net lies in one arena.
//
// Time runs through one step: node i of n computes its feature at i and its gradient at
// 2n - 1 - i. A tensor lives from its first writer to its last reader; two tensors may share
// memory unless they live at the same time. Tensors joined by an alias lie at one place and live
// as long as all of them.
#pragma once

#include <cstdint>
#include <vector>

namespace singa {

class MemoryPlan {
 public:
  static constexpr int64_t kAlignment = 64;

  // Adds a tensor that lives in [begin, end]; returns its number.
  int Add(int64_t bytes, int begin, int end);
  // Puts both at one place.
  void Alias(int a, int b);
  // Adds no more; finds a place for each. First fit, large tensors first.
  void Place(bool reuse);

  int64_t Offset(int tensor) const { return places_[Root(tensor)].offset; }
  int64_t bytes() const { return bytes_; }          // of the arena
  int64_t unplanned() const { return unplanned_; }  // without reuse

 private:
  struct Interval {
    int64_t bytes, offset;
    int begin, end;
  };
  int Root(int tensor) const {
    while (parent_[tensor] != tensor) tensor = parent_[tensor];
    return tensor;
  }
  int64_t FirstFit(const Interval& place, const std::vector<int>& placed) const;

  std::vector<Interval> places_;
  std::vector<int> parent_;
  int64_t bytes_ = 0, unplanned_ = 0;
};

}  // namespace singa
