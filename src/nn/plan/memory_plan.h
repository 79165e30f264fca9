// MemoryPlan gives every tensor of a net its place in one arena.
//
// Time runs through one step: node i of n computes its feature at i and its gradient at 2n - 1 - i.
// A tensor is live from its first writer to its last reader. Two tensors may share memory unless
// they are live at the same time. Tensors joined by an alias share one place, from the first begin
// to the last end of all.
#pragma once

#include <cstdint>
#include <vector>

namespace singa {

class MemoryPlan {
 public:
  static constexpr int64_t kAlignment = 64;

  // Adds a tensor that is live in [begin, end]; returns its number.
  int Add(int64_t bytes, int begin, int end);
  // Gives both tensors one place.
  void Alias(int a, int b);
  // Finds a place for each tensor: first fit, large tensors first. Without `reuse` no memory is
  // shared. REQUIRES: nothing is added later.
  void Place(bool reuse);

  int64_t Offset(int tensor) const { return places_[Root(tensor)].offset; }
  int64_t bytes() const { return bytes_; }          // size of the arena
  int64_t unplanned() const { return unplanned_; }  // size of the arena without reuse

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
