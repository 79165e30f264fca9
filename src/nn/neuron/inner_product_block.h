// Device code for the bias kernels of nn/neuron/inner_product.h.
#pragma once

#include "math/elementwise/map.h"

namespace singa {

// Adds the bias to element i of y: [., h].
struct AddBiasOne {
  const float* b;
  float* y;
  int64_t h;
  SINGA_HD void operator()(int64_t i) const { y[i] += b[i % h]; }
};

// Adds the bias to elements [4 q, 4 q + 4) of y. REQUIRES: AlignedTo<4> of b and y; h is a multiple
// of 4.
struct AddBiasFour {
  const float* b;
  float* y;
  int64_t h;
  SINGA_HD void operator()(int64_t q) const {
    const Four more = reinterpret_cast<const Four*>(b)[q % (h / 4)];
    Four& four = reinterpret_cast<Four*>(y)[q];
    Four sum = four;
    for (int k = 0; k < 4; ++k) sum[k] += more[k];
    four = sum;
  }
};

// Adds up the rows of x[n, h] in `parts` parts: y[p h + j] = beta y[p h + j] + the sum of column j
// over part p. Block i has 32 columns of a part. With beta 0 y is not read. The order of adding
// depends only on n, h, parts and the block's size.
struct ColumnSums {
  static constexpr int64_t kColumns = 32, kMostRows = 32;
  struct Tile {
    float v[kMostRows][kColumns];
  };

  const float* x;
  float beta;
  float* y;
  int64_t n, h, parts;

  static SINGA_HD int64_t groups(int64_t h) { return (h + kColumns - 1) / kColumns; }
  SINGA_HD int64_t blocks() const { return groups(h) * parts; }

  // Thread (t, j) of the block adds up every (threads / 32)-th row of column j; then thread (0, j)
  // adds these sums up. REQUIRES: the number of threads is a multiple of 32.
  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    Tile& tile = block.template Shared<Tile>();
    const int64_t part = i / groups(h), j = i % groups(h) * kColumns + block.thread() % kColumns;
    const int64_t first = block.thread() / kColumns, step = block.threads() / kColumns;
    const int64_t end = n * (part + 1) / parts;
    float sum = 0;
    if (j < h)
      for (int64_t r = n * part / parts + first; r < end; r += step) sum += x[r * h + j];
    tile.v[first][block.thread() % kColumns] = sum;
    block.Sync();
    if (first > 0 || j >= h) return;
    for (int64_t r = 1; r < step; ++r) sum += tile.v[r][block.thread() % kColumns];
    float& to = y[part * h + j];
    to = beta == 0 ? sum : beta * to + sum;
  }
};

}  // namespace singa
