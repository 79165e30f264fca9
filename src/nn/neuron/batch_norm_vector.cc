// Batch normalisation in vectors of channels, over the context's threads.
#include <algorithm>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/batch_norm.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void SumRows(const float* __restrict x, float* __restrict sum, int64_t rows,
                              int64_t c) {
  for (int64_t j = 0; j < c; ++j) sum[j] = 0;
  for (int64_t r = 0; r < rows; ++r, x += c)
    for (int64_t j = 0; j < c; ++j) sum[j] += x[j];
}

SINGA_CPU_CLONES void SquareRows(const float* __restrict x, const float* __restrict mean,
                                 float* __restrict sum, int64_t rows, int64_t c) {
  for (int64_t j = 0; j < c; ++j) sum[j] = 0;
  for (int64_t r = 0; r < rows; ++r, x += c)
    for (int64_t j = 0; j < c; ++j) sum[j] += (x[j] - mean[j]) * (x[j] - mean[j]);
}

SINGA_CPU_CLONES void GradientRows(const float* __restrict x, const float* __restrict dy,
                                   const float* __restrict mean, float* __restrict sum,
                                   float* __restrict product, int64_t rows, int64_t c) {
  for (int64_t j = 0; j < c; ++j) sum[j] = product[j] = 0;
  for (int64_t r = 0; r < rows; ++r, x += c, dy += c)
    for (int64_t j = 0; j < c; ++j) {
      sum[j] += dy[j];
      product[j] += dy[j] * (x[j] - mean[j]);
    }
}

SINGA_CPU_CLONES void AffineRows(const float* x, const float* __restrict scale,
                                 const float* __restrict shift, float* y, int64_t rows, int64_t c) {
  for (int64_t r = 0; r < rows; ++r, x += c, y += c) {
#pragma omp simd
    for (int64_t j = 0; j < c; ++j) y[j] = scale[j] * x[j] + shift[j];
  }
}

SINGA_CPU_CLONES void InputRows(const float* __restrict x, const float* dy,
                                const float* __restrict of_dy, const float* __restrict of_x,
                                const float* __restrict shift, float* dx, int64_t rows, int64_t c) {
  for (int64_t r = 0; r < rows; ++r, x += c, dy += c, dx += c) {
#pragma omp simd
    for (int64_t j = 0; j < c; ++j) dx[j] = of_dy[j] * dy[j] + of_x[j] * x[j] + shift[j];
  }
}

// block(first row, rows, number of the block) for blocks of kBatchBlockRows.
template <typename Block>
void EachBlock(Context& ctx, int64_t rows, int64_t c, const Block& block) {
  const int64_t step = kBatchBlockRows;
  ParallelSlices(ctx, rows * c, step * c, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin / c; r < end / c; r += step)
      block(r, std::min(step, end / c - r), r / step);
  });
}

// The float64 sum over blocks of partial: [blocks, stride], its first c numbers each.
void AddBlocks(const float* partial, int64_t stride, double* sum, int64_t rows, int64_t c) {
  std::fill_n(sum, c, 0.);
  for (int64_t r = 0; r < rows; r += kBatchBlockRows, partial += stride)
    for (int64_t j = 0; j < c; ++j) sum[j] += partial[j];
}

void Sum(Context& ctx, const float* x, double* sum, float* partial, int64_t rows, int64_t c) {
  EachBlock(ctx, rows, c, [&](int64_t first, int64_t n, int64_t b) {
    SumRows(x + first * c, partial + b * c, n, c);
  });
  AddBlocks(partial, c, sum, rows, c);
}

void Squares(Context& ctx, const float* x, const float* mean, double* sum, float* partial,
             int64_t rows, int64_t c) {
  EachBlock(ctx, rows, c, [&](int64_t first, int64_t n, int64_t b) {
    SquareRows(x + first * c, mean, partial + b * c, n, c);
  });
  AddBlocks(partial, c, sum, rows, c);
}

void Affine(Context& ctx, const float* x, const float* scale, const float* shift, float* y,
            int64_t rows, int64_t c) {
  ParallelSlices(ctx, rows * c, c, [&](int64_t begin, int64_t end) {
    AffineRows(x + begin, scale, shift, y + begin, (end - begin) / c, c);
  });
}

void GradientSums(Context& ctx, const float* x, const float* dy, const float* mean, double* sum,
                  double* product, float* partial, int64_t rows, int64_t c) {
  EachBlock(ctx, rows, c, [&](int64_t first, int64_t n, int64_t b) {
    float* const sums = partial + b * 2 * c;
    GradientRows(x + first * c, dy + first * c, mean, sums, sums + c, n, c);
  });
  AddBlocks(partial, 2 * c, sum, rows, c);
  AddBlocks(partial + c, 2 * c, product, rows, c);
}

void Gradient(Context& ctx, const float* x, const float* dy, const float* of_dy, const float* of_x,
              const float* shift, float* dx, int64_t rows, int64_t c) {
  ParallelSlices(ctx, rows * c, c, [&](int64_t begin, int64_t end) {
    InputRows(x + begin, dy + begin, of_dy, of_x, shift, dx + begin, (end - begin) / c, c);
  });
}

[[maybe_unused]] const bool registered =
    BatchSum.Set(Device::kCpu, Sum, Rank::kVendor) &&
    BatchSquares.Set(Device::kCpu, Squares, Rank::kVendor) &&
    BatchAffine.Set(Device::kCpu, Affine, Rank::kVendor) &&
    BatchGradientSums.Set(Device::kCpu, GradientSums, Rank::kVendor) &&
    BatchGradient.Set(Device::kCpu, Gradient, Rank::kVendor);

}  // namespace
}  // namespace singa
