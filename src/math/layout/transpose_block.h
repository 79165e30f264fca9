// Transposes matrices by the threads of a device, for math/layout/transpose.h.
#pragma once

#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

// A square of a matrix goes through the block's shared memory, so that rows are read and columns
// written in whole cache lines. A row there is one float longer than the square, so that columns
// lie in different banks.
struct TransposeTile {
  static constexpr int64_t kSide = 32;
  struct Tile {
    float v[kSide][kSide + 1];
  };

  const float* x;
  float* y;
  int64_t rows, cols;

  static SINGA_HD int64_t Across(int64_t size) { return (size + kSide - 1) / kSide; }
  SINGA_HD int64_t tiles() const { return Across(rows) * Across(cols); }  // tiles of a matrix

  // REQUIRES: threads is a multiple of 32.
  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    Tile& tile = block.template Shared<Tile>();
    const int64_t matrix = i / tiles(), at = i % tiles();
    const int64_t p0 = at / Across(cols) * kSide, q0 = at % Across(cols) * kSide;
    const float* const from = x + matrix * rows * cols;
    float* const to = y + matrix * rows * cols;
    const int64_t lane = block.thread() % kSide, first = block.thread() / kSide;
    const int64_t step = block.threads() / kSide;
    for (int64_t p = first; p < kSide; p += step)
      if (p0 + p < rows && q0 + lane < cols) tile.v[p][lane] = from[(p0 + p) * cols + q0 + lane];
    block.Sync();
    for (int64_t q = first; q < kSide; q += step)
      if (q0 + q < cols && p0 + lane < rows) to[(q0 + q) * rows + p0 + lane] = tile.v[lane][q];
  }
};

// Computes element i of y, for matrices too narrow to fill squares. Their lines stay in the cache.
struct TransposeOne {
  const float* x;
  float* y;
  int64_t rows, cols;
  SINGA_HD void operator()(int64_t i) const {
    const int64_t matrix = i / (rows * cols), at = i % (rows * cols);
    y[i] = x[matrix * rows * cols + at % rows * cols + at / rows];
  }
};

}  // namespace singa
