// neuron/embedding.h by the threads of a device.
#pragma once

#include "math/elementwise/map.h"

namespace singa {

// Element i of y, or with T = Four elements [4 i, 4 i + 4); d: of them in a row.
// REQUIRES of Four: AlignedTo<4> of table and y.
template <typename T>
struct LookUp {
  const float* index;
  const T* table;
  T* y;
  int64_t d;
  SINGA_HD void operator()(int64_t i) const {
    const int64_t r = i / d;
    const auto row = static_cast<int64_t>(index[r]);
    y[i] = row < 0 ? T{} : table[row * d + i - r * d];
  }
};

// Block r adds up all rows of dy whose index is that of row r, unless a row before it has the same
// index, whose block does it. In the order of the rows, so that the sum is the same each time.
struct EmbeddingGradientRow {
  // The rows of one search that have the index.
  static constexpr int kMostThreads = 1024;
  struct Found {
    int32_t at[kMostThreads];  // of thread t: whether its row has it; then the rows that do
    int32_t rows[kMostThreads];
  };

  const float* index;
  const float* dy;
  float* dtable;
  int64_t n, d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t r) const {
    const float wanted = index[r];
    if (wanted < 0) return;  // padding
    float before = 0;
    for (int64_t i = block.thread(); i < r; i += block.threads())
      before = index[i] == wanted ? 1 : before;
    if (block.Max(before) > 0) return;
    float* const sums = dtable + static_cast<int64_t>(wanted) * d;
    for (int64_t first = r; first < n; first += block.threads())
      AddRows(block, first, Find(block, first, wanted), sums);
  }

  // Lists the rows that have the index of [first, first + threads), in order; returns how many.
  template <typename B>
  SINGA_DEVICE int Find(const B& block, int64_t first, float wanted) const {
    Found& found = block.template Shared<Found>();
    const int64_t own = first + block.thread();
    const bool has_it = own < n && index[own] == wanted;
    const int count = static_cast<int>(block.Sum(has_it ? 1.f : 0.f));
    if (count == 0) return 0;
    found.at[block.thread()] = has_it;
    block.Sync();
    if (has_it) {
      int place = 0;
      for (int t = 0; t < block.thread(); ++t) place += found.at[t];
      found.rows[place] = block.thread();
    }
    block.Sync();
    return count;
  }

  template <typename B>
  SINGA_DEVICE void AddRows(const B& block, int64_t first, int count, float* sums) const {
    const Found& found = block.template Shared<Found>();
    for (int64_t j = block.thread(); j < d && count > 0; j += block.threads()) {
      float sum = sums[j];
      for (int k = 0; k < count; ++k) sum += dy[(first + found.rows[k]) * d + j];
      sums[j] = sum;
    }
  }
};

}  // namespace singa
