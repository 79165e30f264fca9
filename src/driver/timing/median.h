// Median returns the middle one of several measurements.
#pragma once

#include <algorithm>
#include <vector>

namespace singa {

// REQUIRES: `values` is not empty.
inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace singa
