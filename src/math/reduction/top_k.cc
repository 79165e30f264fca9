#include "math/reduction/top_k.h"

#include <algorithm>
#include <cmath>

#include "math/cpu_dispatch.h"

namespace singa {
namespace {

void Select(Context&, const float* score, float* index, int64_t n, int64_t d, int64_t k) {
  for (int64_t i = 0; i < n; ++i, score += d, index += k) {
    const auto before = [score](float a, float b) {
      const float x = score[static_cast<int64_t>(a)], y = score[static_cast<int64_t>(b)];
      if (std::isnan(x) != std::isnan(y)) return std::isnan(x);
      return x > y || (!(x < y) && a > b);
    };
    // A heap of the k best so far, the worst of them in front.
    for (int64_t j = 0; j < d; ++j) {
      const auto candidate = static_cast<float>(j);
      if (j < k) {
        index[j] = candidate;
        std::push_heap(index, index + j + 1, before);
      } else if (before(candidate, index[0])) {
        std::pop_heap(index, index + k, before);
        index[k - 1] = candidate;
        std::push_heap(index, index + k, before);
      }
    }
    std::sort_heap(index, index + k, before);
  }
}

// Returns how many classes come before `label`.
SINGA_CPU_CLONES int64_t Before(const float* score, int64_t label, int64_t d) {
  const float own = score[label];
  int32_t before = 0;
#pragma omp simd reduction(+ : before)
  for (int64_t j = 0; j < label; ++j) before += score[j] <= own ? 0 : 1;
#pragma omp simd reduction(+ : before)
  for (int64_t j = label + 1; j < d; ++j) before += score[j] < own ? 0 : 1;
  return before;
}

bool IsAmongTopK(const float* score, int64_t label, int64_t d, int64_t k) {
  return !std::isnan(score[label]) && Before(score, label, d) < k;
}

void Count(Context&, const float* score, const int32_t* label, int64_t ignored, double* cell,
           int64_t n, int64_t d, int64_t k) {
  int64_t hits = 0, rows = 0;
  for (int64_t i = 0; i < n; ++i, score += d) {
    if (label[i] == ignored) continue;
    ++rows;
    if (IsAmongTopK(score, label[i], d, k)) ++hits;
  }
  cell[0] += static_cast<double>(hits);
  cell[1] += static_cast<double>(rows);
}

void CountOfClasses(Context&, const float* score, const int32_t* label, int64_t ignored,
                    double* cells, int64_t n, int64_t d, int64_t k) {
  for (int64_t i = 0; i < n; ++i, score += d) {
    if (label[i] == ignored) continue;
    double* const cell = cells + 2 * int64_t{label[i]};
    if (IsAmongTopK(score, label[i], d, k)) cell[0] += 1;
    cell[1] += 1;
  }
}

[[maybe_unused]] const bool registered = TopK.Set(Device::kCpu, Select) &&
                                         CountTopK.Set(Device::kCpu, Count) &&
                                         CountTopKOfClasses.Set(Device::kCpu, CountOfClasses);

}  // namespace
}  // namespace singa
