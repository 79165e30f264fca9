// The readable kernels of batch normalisation.
#include <algorithm>

#include "nn/neuron/batch_norm.h"

namespace singa {
namespace {

// Calls visit(i, j) for element i, of channel j.
template <typename Visit>
void EachElement(int64_t rows, int64_t c, const Visit& visit) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < c; ++j) visit(r * c + j, j);
}

void Sum(Context&, const float* x, double* sum, float*, int64_t rows, int64_t c) {
  std::fill_n(sum, c, 0.);
  EachElement(rows, c, [&](int64_t i, int64_t j) { sum[j] += x[i]; });
}

void Squares(Context&, const float* x, const float* mean, double* sum, float*, int64_t rows,
             int64_t c) {
  std::fill_n(sum, c, 0.);
  EachElement(rows, c, [&](int64_t i, int64_t j) {
    sum[j] += (double{x[i]} - mean[j]) * (double{x[i]} - mean[j]);
  });
}

void Affine(Context&, const float* x, const float* scale, const float* shift, float* y,
            int64_t rows, int64_t c) {
  EachElement(rows, c, [&](int64_t i, int64_t j) { y[i] = scale[j] * x[i] + shift[j]; });
}

void GradientSums(Context&, const float* x, const float* dy, const float* mean, double* sum,
                  double* product, float*, int64_t rows, int64_t c) {
  std::fill_n(sum, c, 0.);
  std::fill_n(product, c, 0.);
  EachElement(rows, c, [&](int64_t i, int64_t j) {
    sum[j] += dy[i];
    product[j] += dy[i] * (double{x[i]} - mean[j]);
  });
}

void Gradient(Context&, const float* x, const float* dy, const float* of_dy, const float* of_x,
              const float* shift, float* dx, int64_t rows, int64_t c) {
  EachElement(rows, c,
              [&](int64_t i, int64_t j) { dx[i] = of_dy[j] * dy[i] + of_x[j] * x[i] + shift[j]; });
}

[[maybe_unused]] const bool registered =
    BatchSum.Set(Device::kCpu, Sum) && BatchSquares.Set(Device::kCpu, Squares) &&
    BatchAffine.Set(Device::kCpu, Affine) && BatchGradientSums.Set(Device::kCpu, GradientSums) &&
    BatchGradient.Set(Device::kCpu, Gradient);

}  // namespace
}  // namespace singa
