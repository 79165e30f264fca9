#include "comm/codec/low_rank.h"

#include <algorithm>
#include <cmath>

#include "singa/base/philox.h"

namespace singa {

void TimesQ(const LowRankShape& shape, std::span<const float> m, std::span<const float> q,
            std::span<float> p) {
  std::ranges::fill(p, 0.f);
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float* const from = m.data() + row * shape.cols;
    float* const to = p.data() + row * shape.rank;
    for (int64_t col = 0; col < shape.cols; ++col)
      for (int64_t i = 0; i < shape.rank; ++i) to[i] += from[col] * q[col * shape.rank + i];
  }
}

void TransposedTimesP(const LowRankShape& shape, std::span<const float> m, std::span<const float> p,
                      std::span<float> q) {
  std::ranges::fill(q, 0.f);
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float* const from = m.data() + row * shape.cols;
    const float* const by = p.data() + row * shape.rank;
    for (int64_t col = 0; col < shape.cols; ++col)
      for (int64_t i = 0; i < shape.rank; ++i) q[col * shape.rank + i] += from[col] * by[i];
  }
}

void Expand(const LowRankShape& shape, std::span<const float> p, std::span<const float> q,
            std::span<float> m) {
  for (int64_t row = 0; row < shape.rows; ++row) {
    const float* const by = p.data() + row * shape.rank;
    float* const to = m.data() + row * shape.cols;
    for (int64_t col = 0; col < shape.cols; ++col) {
      float sum = 0;
      for (int64_t i = 0; i < shape.rank; ++i) sum += by[i] * q[col * shape.rank + i];
      to[col] = sum;
    }
  }
}

void Orthonormalize(const LowRankShape& shape, std::span<float> p) {
  constexpr double kLeast = 1e-6;  // share of a column's length that is left, of independent ones
  const auto dot = [&](int64_t a, int64_t b) {
    double sum = 0;
    for (int64_t row = 0; row < shape.rows; ++row)
      sum += double{p[row * shape.rank + a]} * p[row * shape.rank + b];
    return sum;
  };
  for (int64_t i = 0; i < shape.rank; ++i) {
    const double before = std::sqrt(dot(i, i));
    for (int pass = 0; pass < 2; ++pass)  // the second one removes the rounding errors of the first
      for (int64_t j = 0; j < i; ++j) {
        const double share = dot(i, j);
        for (int64_t row = 0; row < shape.rows; ++row) {
          float& x = p[row * shape.rank + i];
          x = static_cast<float>(x - share * p[row * shape.rank + j]);
        }
      }
    const double length = std::sqrt(dot(i, i));
    const double scale = length > kLeast * before ? 1 / length : 0;
    for (int64_t row = 0; row < shape.rows; ++row) {
      float& x = p[row * shape.rank + i];
      x = static_cast<float>(x * scale);
    }
  }
}

void RenewColumns(const LowRankShape& shape, uint32_t seed, uint32_t step, std::span<float> q) {
  const Philox random{.seed = 0, .purpose = seed, .step = step};
  for (int64_t i = 0; i < shape.rank; ++i) {
    bool is_zero = true;
    for (int64_t col = 0; col < shape.cols; ++col)
      is_zero = is_zero && q[col * shape.rank + i] == 0;
    if (!is_zero) continue;
    for (int64_t col = 0; col < shape.cols; ++col)
      q[col * shape.rank + i] = random.Gaussian(static_cast<uint64_t>(col * shape.rank + i));
  }
}

}  // namespace singa
