// Computes each row of math/reduction/top_k.h by the threads of a block or of a warp.
#pragma once

#include <cmath>
#include <cstdint>

#include "math/reduction/sum_block.h"

namespace singa {

// Returns whether class a, whose score is x, comes before class b, whose score is y.
SINGA_HD inline bool ComesBefore(float x, int64_t a, float y, int64_t b) {
  const bool x_nan = x != x, y_nan = y != y;
  if (x_nan != y_nan) return x_nan;
  return x > y || (!(x < y) && a > b);
}

// Finds the best of all classes, then the best of those after it, and so on. These are k passes
// over a row, which stays in the cache.
struct TopKRow {
  const float* score;
  float* index;
  int64_t d, k;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const float* const row = score + i * d;
    float last_score = 0;
    int64_t last = -1;  // none yet
    for (int64_t rank = 0; rank < k; ++rank) {
      float best_score = -INFINITY;
      int64_t best = -1;
      for (int64_t j = block.thread(); j < d; j += block.threads())
        if ((last < 0 || ComesBefore(last_score, last, row[j], j)) &&
            ComesBefore(row[j], j, best_score, best)) {
          best_score = row[j];
          best = j;
        }
      last_score = block.Max(best_score);
      const bool has_it = best_score == last_score || (best_score != best_score);
      last = static_cast<int64_t>(block.Max(has_it ? static_cast<float>(best) : -1));
      if (block.thread() == 0) index[i * k + rank] = static_cast<float>(last);
    }
  }
};

// Block c counts the rows of class c. Each of its threads has rows of its own.
struct CountTopKOfClass {
  const float* score;
  const int32_t* label;
  int64_t ignored;
  double* cells;
  int64_t n, d, k;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t c) const {
    double hits = 0, rows = 0;
    for (int64_t r = block.thread(); r < n; r += block.threads()) {
      if (label[r] != c || label[r] == ignored) continue;
      rows += 1;
      const float* const row = score + r * d;
      int64_t before = 0;
      for (int64_t j = 0; j < d; ++j)
        before += j != c && !(j < c ? row[j] <= row[c] : row[j] < row[c]) ? 1 : 0;
      if (before < k && row[c] == row[c]) hits += 1;
    }
    hits = block.Sum(hits);
    rows = block.Sum(rows);
    if (block.thread() != 0) return;
    cells[2 * c] += hits;
    cells[2 * c + 1] += rows;
  }
};

// Block or warp i of `parts` counts the hits and the rows of rows i, i + parts, ...
struct CountTopKRows {
  const float* score;
  const int32_t* label;
  int64_t ignored, n, d, k, parts;
  Sums<2>* partial;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    Sums<2> counts{};
    for (int64_t r = i; r < n; r += parts) {
      if (label[r] == ignored) continue;
      counts[1] += 1;
      const float* const row = score + r * d;
      const int64_t own = label[r];
      double before = 0;
      for (int64_t j = block.thread(); j < d; j += block.threads())
        before += j != own && !(j < own ? row[j] <= row[own] : row[j] < row[own]) ? 1 : 0;
      if (block.Sum(before) < static_cast<double>(k) && row[own] == row[own]) counts[0] += 1;
    }
    if (block.thread() == 0) partial[i] = counts;
  }
};

}  // namespace singa
