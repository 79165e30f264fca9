// Device code for the threads of the kernels of nn/neuron/layer_norm.h.
#pragma once

#include <cmath>

#include "nn/neuron/layer_norm.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// A block or a warp computes row i. Memory is read once, since a row stays in the cache.
struct LayerNormRow {
  const float *x, *scale, *shift;
  float epsilon;
  float* y;
  LayerNormRows rows;
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const float* const from = x + i * d;
    double sum = 0, squares = 0;
    for (int64_t j = block.thread(); j < d; j += block.threads()) sum += from[j];
    const auto mean = static_cast<float>(block.Sum(sum) / static_cast<double>(d));
    for (int64_t j = block.thread(); j < d; j += block.threads()) {
      const float from_mean = from[j] - mean;
      squares += double{from_mean} * from_mean;
    }
    const double variance = block.Sum(squares) / static_cast<double>(d);
    const auto inverse = static_cast<float>(1 / std::sqrt(variance + epsilon));
    for (int64_t j = block.thread(); j < d; j += block.threads())
      y[i * d + j] = (from[j] - mean) * inverse * scale[j] + shift[j];
    if (block.thread() != 0) return;
    rows.mean[i] = mean;
    rows.inverse[i] = inverse;
  }
};

struct LayerNormGradientRow {
  const float *x, *scale, *dy;
  LayerNormRows rows;
  float* dx;
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const float *const from = x + i * d, *const g = dy + i * d;
    const float mean = rows.mean[i], inverse = rows.inverse[i];
    double sum = 0, product = 0;
    for (int64_t j = block.thread(); j < d; j += block.threads()) {
      const float u = scale[j] * g[j];
      sum += u;
      product += double{u} * ((from[j] - mean) * inverse);
    }
    const auto u = static_cast<float>(block.Sum(sum) / static_cast<double>(d));
    const auto u_h = static_cast<float>(block.Sum(product) / static_cast<double>(d));
    for (int64_t j = block.thread(); j < d; j += block.threads())
      dx[i * d + j] = inverse * (scale[j] * g[j] - u - (from[j] - mean) * inverse * u_h);
  }
};

// Adds up dy h and dy over blocks of LayerNormBlockRows(n) rows. Block i of threads has 32 columns
// of such a block. partial: [LayerNormBlocks(n), 2, d].
struct LayerNormColumnSums {
  static constexpr int64_t kColumns = 32, kMostRows = 32;
  struct Tile {
    float dscale[kMostRows][kColumns], dshift[kMostRows][kColumns];
  };

  const float *x, *dy;
  LayerNormRows rows;
  float* partial;
  int64_t n, d, block_rows;

  SINGA_HD int64_t groups() const { return (d + kColumns - 1) / kColumns; }
  int64_t blocks() const { return LayerNormBlocks(n) * groups(); }

  // Thread (t, j) adds up every (threads / 32)-th row of column j; then thread (0, j) adds these
  // sums up. REQUIRES: the number of threads is a multiple of 32, at most 32 * 32.
  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    Tile& tile = block.template Shared<Tile>();
    const int64_t column = block.thread() % kColumns, first = block.thread() / kColumns;
    const int64_t step = block.threads() / kColumns, j = i % groups() * kColumns + column;
    const int64_t begin = i / groups() * block_rows;
    const int64_t end = begin + block_rows < n ? begin + block_rows : n;
    float dscale = 0, dshift = 0;
    if (j < d)
      for (int64_t r = begin + first; r < end; r += step) {
        const float g = dy[r * d + j];
        dscale += g * ((x[r * d + j] - rows.mean[r]) * rows.inverse[r]);
        dshift += g;
      }
    tile.dscale[first][column] = dscale;
    tile.dshift[first][column] = dshift;
    block.Sync();
    if (first > 0 || j >= d) return;
    for (int64_t r = 1; r < step; ++r) {
      dscale += tile.dscale[r][column];
      dshift += tile.dshift[r][column];
    }
    partial[i / groups() * 2 * d + j] = dscale;
    partial[i / groups() * 2 * d + d + j] = dshift;
  }
};

// Adds up column j of all blocks, in their order.
struct LayerNormParamGradient {
  const float* partial;
  LayerNormGradients to;
  int64_t blocks, d;

  SINGA_HD void operator()(int64_t j) const {
    double dscale = 0, dshift = 0;
    for (int64_t b = 0; b < blocks; ++b) {
      dscale += partial[b * 2 * d + j];
      dshift += partial[b * 2 * d + d + j];
    }
    to.AddParams(j, dscale, dshift);
  }
};

}  // namespace singa
