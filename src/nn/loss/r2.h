// R2, the coefficient of determination, of predictions x and targets t: 1 - sum of (x - t)^2 / sum
// of (t - mean of t)^2. Several columns give the mean of their R2: r2_score of scikit-learn with
// multioutput="uniform_average". A column of equal targets has the R2 1 if all predictions are
// exact, else 0.
#pragma once

#include <cstdint>
#include <span>

#include "singa/tensor/kernel.h"

namespace singa {

// Sums of one column.
struct R2Sums {
  double errors = 0;  // of (x - t)^2
  double squares = 0, targets = 0, rows = 0;
};

// Adds the sums of each column to `sums`: [d]. x, t: [n, d].
inline constinit Kernel<void(const float* x, const float* t, R2Sums* sums, int64_t n, int64_t d)>
    AddColumnSums{"AddColumnSums"};

// Returns R2. `sums`: the four numbers of each column's R2Sums. NaN if a column has fewer
// than two rows.
double R2Of(std::span<const double> sums);

}  // namespace singa
