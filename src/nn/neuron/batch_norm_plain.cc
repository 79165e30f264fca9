// The plain kernels of batch normalisation.
#include <algorithm>

#include "nn/neuron/batch_norm_elements.h"

namespace singa {
namespace {

// Calls visit(i, j) for element i, of channel j.
template <typename Visit>
void EachElement(int64_t rows, int64_t c, const Visit& visit) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < c; ++j) visit(r * c + j, j);
}

void Moments(Context&, const float* x, double* sum, double* squares, float*, int64_t rows,
             int64_t c) {
  std::fill_n(sum, c, 0.);
  std::fill_n(squares, c, 0.);
  EachElement(rows, c, [&](int64_t i, int64_t j) { sum[j] += x[i]; });
  EachElement(rows, c, [&](int64_t i, int64_t j) {
    const double from_mean = x[i] - sum[j] / static_cast<double>(rows);
    squares[j] += from_mean * from_mean;
  });
}

void Apply(Context&, const float* x, BatchFunction f, float* y, int64_t rows, int64_t c) {
  EachElement(rows, c, [&](int64_t i, int64_t j) { y[i] = BatchValue(f, x[i], j); });
}

void GradientSums(Context&, const float* x, BatchFunction f, const float* dy, const float* mean,
                  double* sum, double* product, float*, int64_t rows, int64_t c) {
  std::fill_n(sum, c, 0.);
  std::fill_n(product, c, 0.);
  EachElement(rows, c, [&](int64_t i, int64_t j) {
    const float g = BatchAboveFloor(f, x[i], dy[i], j);
    sum[j] += g;
    product[j] += g * (double{x[i]} - mean[j]);
  });
}

void Gradient(Context&, const float* x, BatchFunction f, const float* dy, const float* of_g,
              const float* of_x, const float* shift, float* dx, int64_t rows, int64_t c) {
  EachElement(rows, c, [&](int64_t i, int64_t j) {
    dx[i] = of_g[j] * BatchAboveFloor(f, x[i], dy[i], j) + of_x[j] * x[i] + shift[j];
  });
}

[[maybe_unused]] const bool registered =
    BatchMoments.Set(Device::kCpu, Moments) && BatchApply.Set(Device::kCpu, Apply) &&
    BatchGradientSums.Set(Device::kCpu, GradientSums) && BatchGradient.Set(Device::kCpu, Gradient);

}  // namespace
}  // namespace singa
