// AddNeighbours computes by hand the sum of the workers of a group. It follows the rule of
// math/reduction/sum_tree.h: neighbours are added until one is left.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace singa {

// all[w]: the numbers of worker w. All workers have equally many.
inline std::vector<float> AddNeighbours(std::vector<std::vector<float>> all) {
  while (all.size() > 1) {
    std::vector<std::vector<float>> sums;
    for (size_t i = 0; i < all.size(); i += 2) {
      sums.push_back(all[i]);
      for (size_t j = 0; i + 1 < all.size() && j < all[i].size(); ++j)
        sums.back()[j] += all[i + 1][j];
    }
    all = std::move(sums);
  }
  return all[0];
}

}  // namespace singa
