#include "nn/loss/r2.h"

#include <limits>

#include "math/parallel_slices.h"

namespace singa {
namespace {

R2Sums SumsOf(const float* x, const float* t, int64_t n, int64_t stride) {
  R2Sums sums = {.rows = static_cast<double>(n)};
  for (int64_t i = 0; i < n * stride; i += stride) {
    const double target = t[i], error = x[i] - target;
    sums.errors += error * error;
    sums.squares += target * target;
    sums.targets += target;
  }
  return sums;
}

// One thread adds up a whole column, so the bits do not depend on the number of threads.
void AddR2Columns(Context& ctx, const float* x, const float* t, R2Sums* sums, int64_t n,
                  int64_t d) {
  if (n == 0) return;
  ParallelSlices(ctx, n * d, n, [=](int64_t begin, int64_t end) {
    for (int64_t c = begin / n; c < end / n; ++c) {
      const R2Sums more = SumsOf(x + c, t + c, n, d);
      sums[c].errors += more.errors;
      sums[c].squares += more.squares;
      sums[c].targets += more.targets;
      sums[c].rows += more.rows;
    }
  });
}

[[maybe_unused]] const bool registered = AddColumnSums.Set(Device::kCpu, AddR2Columns);

double R2OfColumn(const R2Sums& sums) {
  // Each row's addition rounds the sum of squares, and the next line rounds a few times more. A
  // column of equal targets deviates by no more than that.
  const double rounding = (sums.rows + 4) * std::numeric_limits<double>::epsilon() / 2;
  const double deviations = sums.squares - sums.targets * sums.targets / sums.rows;
  if (deviations > rounding * sums.squares) return 1 - sums.errors / deviations;
  return sums.errors == 0 ? 1 : 0;
}

}  // namespace

double R2Of(std::span<const double> sums) {
  const size_t columns = sums.size() / 4;
  double total = 0;
  for (size_t c = 0; c < columns; ++c) {
    const double* const of = sums.data() + 4 * c;
    if (of[3] < 2) return std::numeric_limits<double>::quiet_NaN();
    total += R2OfColumn({of[0], of[1], of[2], of[3]});
  }
  return total / static_cast<double>(columns);
}

}  // namespace singa
