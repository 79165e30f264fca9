// Vector kernels of layer normalisation: vectors of units, rows over the context's threads. A row
// stays in the cache while it is read several times.
#include <algorithm>
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/layer_norm.h"

namespace singa {
namespace {

// Numbers that are added up in float32; sums of these are float64.
constexpr int64_t kRun = 512;

SINGA_CPU_CLONES void ForwardRows(const float* __restrict x, const float* __restrict scale,
                                  const float* __restrict shift, double epsilon,
                                  float* __restrict y, float* __restrict mean,
                                  float* __restrict inverse, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i, x += d, y += d) {
    double sum = 0, rest = 0, squares = 0;
    for (int64_t begin = 0; begin < d; begin += kRun) {
      const int64_t end = std::min(d, begin + kRun);
      float part = 0;
#pragma omp simd reduction(+ : part)
      for (int64_t j = begin; j < end; ++j) part += x[j];
      sum += part;
    }
    const auto about = static_cast<float>(sum / static_cast<double>(d));
    for (int64_t begin = 0; begin < d; begin += kRun) {
      const int64_t end = std::min(d, begin + kRun);
      float part = 0, part_squares = 0;
#pragma omp simd reduction(+ : part, part_squares)
      for (int64_t j = begin; j < end; ++j) {
        const float from = x[j] - about;
        part += from;
        part_squares += from * from;
      }
      rest += part;
      squares += part_squares;
    }
    // Numbers far from 0 leave an error in the first sum, which the second one finds.
    const double error = rest / static_cast<double>(d);
    const double variance = squares / static_cast<double>(d) - error * error;
    const auto m = static_cast<float>(about + error);
    const auto s = static_cast<float>(1 / std::sqrt(std::max(variance, 0.) + epsilon));
#pragma omp simd
    for (int64_t j = 0; j < d; ++j) y[j] = (x[j] - m) * s * scale[j] + shift[j];
    mean[i] = m;
    inverse[i] = s;
  }
}

SINGA_CPU_CLONES void InputRow(const float* __restrict x, const float* __restrict scale,
                               const float* __restrict dy, float mean, float inverse,
                               float* __restrict dx, int64_t d) {
  double sum = 0, product = 0;
  for (int64_t begin = 0; begin < d; begin += kRun) {
    const int64_t end = std::min(d, begin + kRun);
    float part = 0, part_h = 0;
#pragma omp simd reduction(+ : part, part_h)
    for (int64_t j = begin; j < end; ++j) {
      const float u = scale[j] * dy[j];
      part += u;
      part_h += u * ((x[j] - mean) * inverse);
    }
    sum += part;
    product += part_h;
  }
  const auto u = static_cast<float>(sum / static_cast<double>(d));
  const auto u_h = static_cast<float>(product / static_cast<double>(d));
#pragma omp simd
  for (int64_t j = 0; j < d; ++j)
    dx[j] = inverse * (scale[j] * dy[j] - u - (x[j] - mean) * inverse * u_h);
}

SINGA_CPU_CLONES void ParamRow(const float* __restrict x, const float* __restrict dy, float mean,
                               float inverse, float* __restrict dscale, float* __restrict dshift,
                               int64_t d) {
#pragma omp simd
  for (int64_t j = 0; j < d; ++j) {
    dscale[j] += dy[j] * ((x[j] - mean) * inverse);
    dshift[j] += dy[j];
  }
}

// Adds up columns of partial, [blocks, stride]. No product is fused with a sum, so cuts change no
// bit.
SINGA_CPU_CLONES void AddColumns(const float* __restrict partial, int64_t blocks, int64_t stride,
                                 float beta, float* __restrict to, int64_t columns) {
  constexpr int64_t kColumns = 64;
  for (int64_t first = 0; first < columns; first += kColumns) {
    const int64_t width = std::min(kColumns, columns - first);
    double sums[kColumns];
    for (int64_t j = 0; j < width; ++j) sums[j] = beta == 0 ? 0. : to[first + j];
    for (int64_t b = 0; b < blocks; ++b)
      for (int64_t j = 0; j < width; ++j) sums[j] += partial[b * stride + first + j];
    for (int64_t j = 0; j < width; ++j) to[first + j] = static_cast<float>(sums[j]);
  }
}

void AddBlocks(Context& ctx, const float* partial, int64_t blocks, float beta, float* to,
               int64_t d) {
  if (!to) return;
  constexpr int64_t kColumns = 16;  // a cache line
  ParallelSlices(ctx, blocks * d, blocks * kColumns, [=](int64_t begin, int64_t end) {
    const int64_t first = begin / blocks;
    AddColumns(partial + first, blocks, 2 * d, beta, to + first, end / blocks - first);
  });
}

void Forward(Context& ctx, const float* x, const float* scale, const float* shift, float epsilon,
             float* y, LayerNormRows rows, int64_t n, int64_t d) {
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    const int64_t first = begin / d;
    ForwardRows(x + begin, scale, shift, epsilon, y + begin, rows.mean + first,
                rows.inverse + first, end / d - first, d);
  });
}

// Computes a block's gradients row by row, so that x and dy are read from memory once. sums: [2,
// d].
void BackwardBlock(const float* x, const float* scale, const float* dy, LayerNormRows rows,
                   const LayerNormGradients& to, float* sums, int64_t first, int64_t end,
                   int64_t d) {
  if (to.of_params()) std::fill_n(sums, 2 * d, 0.f);
  for (int64_t i = first; i < end; ++i) {
    const float mean = rows.mean[i], inverse = rows.inverse[i];
    const float *const own_x = x + i * d, *const own_dy = dy + i * d;
    if (to.dx) InputRow(own_x, scale, own_dy, mean, inverse, to.dx + i * d, d);
    if (to.of_params()) ParamRow(own_x, own_dy, mean, inverse, sums, sums + d, d);
  }
}

void Backward(Context& ctx, const float* x, const float* scale, const float* dy, LayerNormRows rows,
              LayerNormGradients to, float* partial, int64_t n, int64_t d) {
  const int64_t step = LayerNormBlockRows(n);
  ParallelSlices(ctx, n * d, step * d, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin / d; r < end / d; r += step)
      BackwardBlock(x, scale, dy, rows, to, partial + r / step * 2 * d, r,
                    std::min(r + step, end / d), d);
  });
  AddBlocks(ctx, partial, LayerNormBlocks(n), to.scale_beta, to.dscale, d);
  AddBlocks(ctx, partial + d, LayerNormBlocks(n), to.shift_beta, to.dshift, d);
}

[[maybe_unused]] const bool registered =
    LayerNormForward.Set(Device::kCpu, Forward, Rank::kVector) &&
    LayerNormBackward.Set(Device::kCpu, Backward, Rank::kVector);

}  // namespace
}  // namespace singa
