// Device code for sums of batch normalisation. A block adds up a chunk of kBatchBlockRows rows in
// float32; then all chunks are added in float64. The order depends only on the sizes.
#pragma once

#include "nn/neuron/batch_norm_elements.h"

namespace singa {

// Divides a chunk over a block of n threads. Each thread has one of `lanes` channels and every (n /
// lanes)-th row. With few channels there are few lanes, so that more rows are read at once.
// REQUIRES: n is a power of two, kMostLanes to kThreads.
struct BatchBlock {
  static constexpr int kThreads = 256, kMostLanes = 32;
  struct Values {
    float of[kThreads];
  };

  int64_t rows, c, lanes;  // lanes: a power of two

  static BatchBlock Of(int64_t rows, int64_t c) {
    int64_t lanes = 1;
    while (lanes < c && lanes < kMostLanes) lanes *= 2;
    return {rows, c, lanes};
  }

  SINGA_HD int64_t across() const { return (c + lanes - 1) / lanes; }
  SINGA_HD int64_t chunks() const { return (rows + kBatchBlockRows - 1) / kBatchBlockRows; }
  int64_t blocks() const { return chunks() * across(); }

  // Returns to each thread of a channel the sum of `value` over these threads.
  template <typename B>
  SINGA_DEVICE float Sum(const B& block, float value) const {
    float* const of = block.template Shared<Values>().of;
    const int thread = block.thread();
    block.Sync();  // all threads have read the last sum
    of[thread] = value;
    for (int64_t half = block.threads() / 2; half >= lanes; half /= 2) {
      block.Sync();
      if (thread < half) of[thread] += of[thread + half];
    }
    block.Sync();
    return of[thread % lanes];
  }

  // Work of a thread: rows first, first + step, ... below end of channel j. There are none if j >=
  // c.
  struct Place {
    int64_t chunk, j, first, end, step;
  };
  template <typename B>
  SINGA_DEVICE Place PlaceOf(const B& block, int64_t i) const {
    const int64_t chunk = i / across(), j = i % across() * lanes + block.thread() % lanes;
    const int64_t begin = chunk * kBatchBlockRows;
    const int64_t end = begin + kBatchBlockRows < rows ? begin + kBatchBlockRows : rows;
    return {chunk, j, j < c ? begin + block.thread() / lanes : end, end, block.threads() / lanes};
  }
};

// Computes the sum of a chunk's rows, and of squares about the chunk's mean. The rows stay in the
// cache in between. partial: [chunks, 2, c].
struct BatchMomentsChunk {
  BatchBlock shape;
  const float* x;
  float* partial;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const BatchBlock::Place p = shape.PlaceOf(block, i);
    const int64_t c = shape.c;
    float sum = 0, squares = 0;
    for (int64_t r = p.first; r < p.end; r += p.step) sum += x[r * c + p.j];
    sum = shape.Sum(block, sum);
    const float mean = sum / static_cast<float>(p.end - p.chunk * kBatchBlockRows);
    for (int64_t r = p.first; r < p.end; r += p.step) {
      const float from_mean = x[r * c + p.j] - mean;
      squares += from_mean * from_mean;
    }
    squares = shape.Sum(block, squares);
    if (block.thread() >= shape.lanes || p.j >= c) return;
    partial[p.chunk * 2 * c + p.j] = sum;
    partial[p.chunk * 2 * c + c + p.j] = squares;
  }
};

// Computes the sums of g and g (x - mean) over a chunk's rows.
struct BatchGradientChunk {
  BatchBlock shape;
  const float* x;
  BatchFunction f;
  const float *dy, *mean;
  float* partial;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const BatchBlock::Place p = shape.PlaceOf(block, i);
    const int64_t c = shape.c;
    float sum = 0, product = 0;
    for (int64_t r = p.first; r < p.end; r += p.step) {
      const float value = x[r * c + p.j];
      const float g = BatchAboveFloor(f, value, dy[r * c + p.j], p.j);
      sum += g;
      product += g * (value - mean[p.j]);
    }
    sum = shape.Sum(block, sum);
    product = shape.Sum(block, product);
    if (block.thread() >= shape.lanes || p.j >= c) return;
    partial[p.chunk * 2 * c + p.j] = sum;
    partial[p.chunk * 2 * c + c + p.j] = product;
  }
};

// Computes channel j's sums over all chunks by a block.
struct BatchChannelSums {
  BatchBlock shape;
  const float* partial;
  double *first, *second;
  bool about_mean;  // the second sums are squares about each chunk's mean

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t j) const {
    const int64_t c = shape.c;
    double sum = 0, more = 0;
    for (int64_t k = block.thread(); k < shape.chunks(); k += block.threads())
      sum += partial[k * 2 * c + j];
    sum = block.Sum(sum);
    // With m the mean of all rows: squares = sum over chunks k of squares_k + n_k (m_k - m)^2.
    const double mean = sum / static_cast<double>(shape.rows);
    for (int64_t k = block.thread(); k < shape.chunks(); k += block.threads()) {
      more += partial[k * 2 * c + c + j];
      if (!about_mean) continue;
      const int64_t left = shape.rows - k * kBatchBlockRows;
      const auto n = static_cast<double>(left < kBatchBlockRows ? left : kBatchBlockRows);
      const double from_mean = partial[k * 2 * c + j] / n - mean;
      more += n * from_mean * from_mean;
    }
    more = block.Sum(more);
    if (block.thread() != 0) return;
    first[j] = sum;
    second[j] = more;
  }
};

}  // namespace singa
