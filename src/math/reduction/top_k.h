// Finds the classes of a row that have the largest scores. Of equal scores, the one with the larger
// index comes first; NaN comes before any number.
#pragma once

#include <limits>

#include "singa/tensor/kernel.h"

namespace singa {

// Throws ConfigError("srclayers") if an index into a row of d numbers may not be exact as a float.
inline void RequireExactIndices(int64_t d) {
  if (d > int64_t{1} << 24)
    throw ConfigError("srclayers", StrCat("has ", d, " numbers a row, at most 2^24 are allowed"));
}

// Writes index[i][0..k), the indices of the k largest of score[i], best first. score: [n, d];
// index: [n, k], whole numbers (exact below 2^24). REQUIRES: k <= d.
inline constinit Kernel<void(const float* score, float* index, int64_t n, int64_t d, int64_t k)>
    TopK{"TopK"};

// The value of `ignored` for which no label is left out.
inline constexpr int64_t kNoneIgnored = std::numeric_limits<int64_t>::min();

// cell[0] += the rows i whose label[i] is among the k best of score[i], cell[1] += all rows. Rows
// whose label is `ignored` do not count. A label whose own score is NaN is never among the best.
// score: [n, d]. REQUIRES: 0 <= label[i] < d, or ignored.
inline constinit Kernel<void(const float* score, const int32_t* label, int64_t ignored,
                             double* cell, int64_t n, int64_t d, int64_t k)>
    CountTopK{"CountTopK"};

// Counts the rows of each class j in cells[2 j] and cells[2 j + 1], as CountTopK does in its cell.
// cells: [d, 2].
inline constinit Kernel<void(const float* score, const int32_t* label, int64_t ignored,
                             double* cells, int64_t n, int64_t d, int64_t k)>
    CountTopKOfClasses{"CountTopKOfClasses"};

}  // namespace singa
