// Device code for the threads of the kernels of nn/neuron/embedding.h.
#pragma once

#include "math/elementwise/map.h"

namespace singa {

// Writes element i of y, or with T = Four elements [4 i, 4 i + 4). A row has d elements of type T.
// REQUIRES for Four: AlignedTo<4> of table and y.
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

// Block r adds up all rows of dy that have the index of row r, in their order, so that each run
// gives the same bits. It does nothing if an earlier row has this index.
struct EmbeddingGradientRow {
  // Result of one search for the index among as many rows as threads.
  static constexpr int kMostThreads = 1024;
  struct Found {
    int32_t at[kMostThreads];  // at[t]: whether thread t's row has it; rows: those that have
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

  // Lists the rows of [first, first + threads) that have the index, in order. Returns their number.
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
