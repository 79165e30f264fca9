// SliceSet is the slices of one server, in rising order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace singa {

class SliceSet {
 public:
  SliceSet() = default;
  // `slices`: rising.
  explicit SliceSet(std::vector<int> slices) : slices_(std::move(slices)) {}

  int size() const { return static_cast<int>(slices_.size()); }
  auto begin() const { return slices_.begin(); }
  auto end() const { return slices_.end(); }
  int operator[](int place) const { return slices_[place]; }
  bool Has(int64_t slice) const { return std::ranges::binary_search(slices_, slice); }
  // Returns the place of `slice`, which is in the set.
  int PlaceOf(int slice) const {
    return static_cast<int>(std::ranges::lower_bound(slices_, slice) - slices_.begin());
  }
  bool operator==(const SliceSet&) const = default;

 private:
  std::vector<int> slices_;
};

}  // namespace singa
