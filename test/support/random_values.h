// These functions make random numbers that are the same in each run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "singa/base/philox.h"

namespace singa {

// Returns n numbers N(0, spread^2), which depend on the name alone.
inline std::vector<float> RandomValues(std::string_view name, int64_t n, float spread = 1) {
  const Philox philox{7, HashName(name), 0};
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = spread * philox.Gaussian(i);
  return values;
}

// Returns n whole numbers from -1 to size - 1. -1 stands for padding or ignored rows.
template <typename T>
std::vector<T> RandomIndices(int64_t n, int64_t size) {
  const Philox philox{7, 8, 9};
  std::vector<T> index(n);
  for (int64_t i = 0; i < n; ++i)
    index[i] = static_cast<T>(static_cast<int64_t>(philox.Below(i, size + 1)) - 1);
  return index;
}

}  // namespace singa
