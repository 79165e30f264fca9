// Vector kernels of batch normalisation: vectors of channels, over the context's threads.
#include <algorithm>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/batch_norm.h"

namespace singa {
namespace {

// Computes the sum, and the squares about the mean of these rows. The rows stay in the cache in
// between.
SINGA_CPU_CLONES void MomentRows(const float* __restrict x, float* __restrict sum,
                                 float* __restrict squares, int64_t rows, int64_t c) {
  for (int64_t j = 0; j < c; ++j) sum[j] = squares[j] = 0;
  const float* row = x;
  for (int64_t r = 0; r < rows; ++r, row += c)
    for (int64_t j = 0; j < c; ++j) sum[j] += row[j];
  const float share = 1 / static_cast<float>(rows);
  row = x;
  for (int64_t r = 0; r < rows; ++r, row += c)
    for (int64_t j = 0; j < c; ++j) {
      const float from_mean = row[j] - share * sum[j];
      squares[j] += from_mean * from_mean;
    }
}

SINGA_CPU_CLONES void ApplyRows(const float* x, const float* __restrict scale,
                                const float* __restrict shift, float floor, float* y, int64_t rows,
                                int64_t c) {
  for (int64_t r = 0; r < rows; ++r, x += c, y += c) {
#pragma omp simd
    for (int64_t j = 0; j < c; ++j) {
      const float value = scale[j] * x[j] + shift[j];
      y[j] = value < floor ? floor : value;
    }
  }
}

SINGA_CPU_CLONES void GradientRows(const float* __restrict x, const float* __restrict scale,
                                   const float* __restrict shift, float floor,
                                   const float* __restrict dy, const float* __restrict mean,
                                   float* __restrict sum, float* __restrict product, int64_t rows,
                                   int64_t c) {
  for (int64_t j = 0; j < c; ++j) sum[j] = product[j] = 0;
  for (int64_t r = 0; r < rows; ++r, x += c, dy += c)
    for (int64_t j = 0; j < c; ++j) {
      const float g = scale[j] * x[j] + shift[j] <= floor ? 0 : dy[j];
      sum[j] += g;
      product[j] += g * (x[j] - mean[j]);
    }
}

SINGA_CPU_CLONES void InputRows(const float* __restrict x, const float* __restrict scale,
                                const float* __restrict shift, float floor, const float* dy,
                                const float* __restrict of_g, const float* __restrict of_x,
                                const float* __restrict rest, float* dx, int64_t rows, int64_t c) {
  for (int64_t r = 0; r < rows; ++r, x += c, dy += c, dx += c) {
#pragma omp simd
    for (int64_t j = 0; j < c; ++j) {
      const float g = scale[j] * x[j] + shift[j] <= floor ? 0 : dy[j];
      dx[j] = of_g[j] * g + of_x[j] * x[j] + rest[j];
    }
  }
}

// Calls block(first row, rows, number of the block) for each block of kBatchBlockRows rows.
template <typename Block>
void EachBlock(Context& ctx, int64_t rows, int64_t c, const Block& block) {
  const int64_t step = kBatchBlockRows;
  ParallelSlices(ctx, rows * c, step * c, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin / c; r < end / c; r += step)
      block(r, std::min(step, end / c - r), r / step);
  });
}

// Adds up the first c numbers of each block of partial, [blocks, stride], in float64.
void AddBlocks(const float* partial, int64_t stride, double* sum, int64_t rows, int64_t c) {
  std::fill_n(sum, c, 0.);
  for (int64_t r = 0; r < rows; r += kBatchBlockRows, partial += stride)
    for (int64_t j = 0; j < c; ++j) sum[j] += partial[j];
}

// Computes squares = sum over blocks b of squares_b + n_b (m_b - m)^2, with m the mean of all rows.
void Moments(Context& ctx, const float* x, double* sum, double* squares, float* partial,
             int64_t rows, int64_t c) {
  EachBlock(ctx, rows, c, [&](int64_t first, int64_t n, int64_t b) {
    float* const sums = partial + b * 2 * c;
    MomentRows(x + first * c, sums, sums + c, n, c);
  });
  AddBlocks(partial, 2 * c, sum, rows, c);
  AddBlocks(partial + c, 2 * c, squares, rows, c);
  const auto all = static_cast<double>(rows);
  for (int64_t r = 0; r < rows; r += kBatchBlockRows, partial += 2 * c) {
    const auto n = static_cast<double>(std::min(kBatchBlockRows, rows - r));
    for (int64_t j = 0; j < c; ++j) {
      const double from_mean = partial[j] / n - sum[j] / all;
      squares[j] += n * from_mean * from_mean;
    }
  }
}

void Apply(Context& ctx, const float* x, BatchFunction f, float* y, int64_t rows, int64_t c) {
  ParallelSlices(ctx, rows * c, c, [&](int64_t begin, int64_t end) {
    ApplyRows(x + begin, f.scale, f.shift, f.floor, y + begin, (end - begin) / c, c);
  });
}

void GradientSums(Context& ctx, const float* x, BatchFunction f, const float* dy, const float* mean,
                  double* sum, double* product, float* partial, int64_t rows, int64_t c) {
  EachBlock(ctx, rows, c, [&](int64_t first, int64_t n, int64_t b) {
    float* const sums = partial + b * 2 * c;
    GradientRows(x + first * c, f.scale, f.shift, f.floor, dy + first * c, mean, sums, sums + c, n,
                 c);
  });
  AddBlocks(partial, 2 * c, sum, rows, c);
  AddBlocks(partial + c, 2 * c, product, rows, c);
}

void Gradient(Context& ctx, const float* x, BatchFunction f, const float* dy, const float* of_g,
              const float* of_x, const float* shift, float* dx, int64_t rows, int64_t c) {
  ParallelSlices(ctx, rows * c, c, [&](int64_t begin, int64_t end) {
    InputRows(x + begin, f.scale, f.shift, f.floor, dy + begin, of_g, of_x, shift, dx + begin,
              (end - begin) / c, c);
  });
}

[[maybe_unused]] const bool registered =
    BatchMoments.Set(Device::kCpu, Moments, Rank::kVector) &&
    BatchApply.Set(Device::kCpu, Apply, Rank::kVector) &&
    BatchGradientSums.Set(Device::kCpu, GradientSums, Rank::kVector) &&
    BatchGradient.Set(Device::kCpu, Gradient, Rank::kVector);

}  // namespace
}  // namespace singa
