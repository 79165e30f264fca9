#include "comm/codec/low_rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "comm/codec/low_rank_elements.h"
#include "math/cpu_dispatch.h"

namespace singa {
namespace {

// A sum over a row has kLanes partial sums on every CPU, so that the bits are the same.
constexpr int64_t kLanes = 8;
constexpr int64_t kColumns = 2 * kLanes;  // columns of M that are computed together
constexpr int64_t kRows = 4;              // rows of M that are computed together
typedef float Lanes __attribute__((vector_size(4 * kLanes)));

int64_t Padded(int64_t n) { return (n + kColumns - 1) / kColumns * kColumns; }

// The columns of a thin row-major matrix, each with zeros behind it.
class Columns {
 public:
  Columns(std::span<const float> thin, int64_t rows, int64_t rank)
      : rows_(rows), rank_(rank), stride_(Padded(rows)), floats_(stride_ * rank) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < rank; ++i) (*this)[i][row] = thin[row * rank + i];
  }
  float* operator[](int64_t i) { return floats_.data() + i * stride_; }
  int64_t stride() const { return stride_; }

  void CopyTo(std::span<float> thin) const {
    for (int64_t row = 0; row < rows_; ++row)
      for (int64_t i = 0; i < rank_; ++i) thin[row * rank_ + i] = floats_[i * stride_ + row];
  }

 private:
  int64_t rows_, rank_, stride_;
  std::vector<float> floats_;
};

// kRows rows of a row-major matrix, in its memory if they are there and `stride` is their length,
// else copies with zeros behind and below them.
class FourRows {
 public:
  FourRows(int64_t rows, int64_t cols, int64_t stride)
      : rows_(rows), cols_(cols), stride_(stride) {}

  const float* Read(const float* matrix, int64_t row) {
    if (FitsAt(row)) return matrix + row * cols_;
    copies_.assign(kRows * stride_, 0.f);
    for (int64_t r = 0; r < CountAt(row); ++r)
      std::copy_n(matrix + (row + r) * cols_, cols_, copies_.data() + r * stride_);
    return copies_.data();
  }
  // Returns where to write the rows. Write then takes them to the matrix.
  float* Room(float* matrix, int64_t row) {
    if (FitsAt(row)) return matrix + row * cols_;
    copies_.resize(kRows * stride_);
    return copies_.data();
  }
  void Write(float* matrix, int64_t row) const {
    for (int64_t r = 0; !FitsAt(row) && r < CountAt(row); ++r)
      std::copy_n(copies_.data() + r * stride_, cols_, matrix + (row + r) * cols_);
  }

 private:
  int64_t CountAt(int64_t row) const { return std::min(kRows, rows_ - row); }
  bool FitsAt(int64_t row) const { return cols_ == stride_ && CountAt(row) == kRows; }

  int64_t rows_, cols_, stride_;
  std::vector<float> copies_;
};

[[gnu::always_inline]] inline void Load(const float* from, Lanes* to) {
  std::memcpy(to, from, sizeof *to);
}
[[gnu::always_inline]] inline void Store(const Lanes& from, float* to) {
  std::memcpy(to, &from, sizeof from);
}

[[gnu::always_inline]] inline float SumOf(const Lanes& lanes) {
  std::array<float, kLanes> sums;
  Store(lanes, sums.data());
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t i = 0; i < width; ++i) sums[i] += sums[i + width];
  return sums[0];
}

// Sets kThin columns of kRows rows of P. m: [kRows, n]; q: kThin columns of n; p: [kRows, rank].
template <int kThin>
[[gnu::always_inline]] inline void MultiplyThin(const float* __restrict m,
                                                const float* __restrict q, int64_t n, int64_t rank,
                                                float* __restrict p) {
  Lanes sums[kRows][kThin], x, by[kThin];
  for (auto& row : sums)
    for (Lanes& sum : row) sum = Lanes{};
  for (int64_t col = 0; col < n; col += kLanes) {
    for (int64_t i = 0; i < kThin; ++i) Load(q + i * n + col, &by[i]);
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r) {
      Load(m + r * n + col, &x);
      for (int64_t i = 0; i < kThin; ++i) sums[r][i] += x * by[i];
    }
  }
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t i = 0; i < kThin; ++i) p[r * rank + i] = SumOf(sums[r][i]);
}

// Sets p = m q. m: [kRows, n]; q: `rank` columns of n; p: [kRows, rank].
SINGA_CPU_CLONES_EXACT void Multiply(const float* m, const float* q, int64_t n, int64_t rank,
                                     float* p) {
  int64_t i = 0;
  for (; i + 2 <= rank; i += 2) MultiplyThin<2>(m, q + i * n, n, rank, p + i);
  if (i < rank) MultiplyThin<1>(m, q + i * n, n, rank, p + i);
}

// Adds m^T p to q. m: [kRows, n]; p: [kRows, rank]; q: `rank` columns of n.
SINGA_CPU_CLONES_EXACT void AddTransposed(const float* __restrict m, const float* __restrict p,
                                          int64_t n, int64_t rank, float* __restrict q) {
  for (int64_t col = 0; col < n; col += kColumns) {
    Lanes x[kRows][2], first, second;
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r) {
      Load(m + r * n + col, &x[r][0]);
      Load(m + r * n + col + kLanes, &x[r][1]);
    }
    for (int64_t i = 0; i < rank; ++i) {
      float* const at = q + i * n + col;
      Load(at, &first);
      Load(at + kLanes, &second);
#pragma GCC unroll 4
      for (int64_t r = 0; r < kRows; ++r) {
        first += x[r][0] * p[r * rank + i];
        second += x[r][1] * p[r * rank + i];
      }
      Store(first, at);
      Store(second, at + kLanes);
    }
  }
}

// Sets m = p q^T. p: [kRows, rank]; q: `rank` columns of n; m: [kRows, n].
SINGA_CPU_CLONES_EXACT void MultiplyOut(const float* __restrict p, const float* __restrict q,
                                        int64_t n, int64_t rank, float* __restrict m) {
  for (int64_t col = 0; col < n; col += kColumns) {
    Lanes sums[kRows][2], first, second;
    for (auto& row : sums)
      for (Lanes& sum : row) sum = Lanes{};
    for (int64_t i = 0; i < rank; ++i) {
      Load(q + i * n + col, &first);
      Load(q + i * n + col + kLanes, &second);
#pragma GCC unroll 4
      for (int64_t r = 0; r < kRows; ++r) {
        sums[r][0] += first * p[r * rank + i];
        sums[r][1] += second * p[r * rank + i];
      }
    }
#pragma GCC unroll 4
    for (int64_t r = 0; r < kRows; ++r) {
      Store(sums[r][0], m + r * n + col);
      Store(sums[r][1], m + r * n + col + kLanes);
    }
  }
}

// Returns the sum of a[j] b[j]. n is a multiple of kLanes. Products of floats are exact in float64,
// so fusing them with sums changes nothing.
SINGA_CPU_CLONES double Dot(const float* __restrict a, const float* __restrict b, int64_t n) {
  std::array<double, kLanes> sums{};
  for (int64_t j = 0; j < n; j += kLanes)
    for (int64_t l = 0; l < kLanes; ++l) sums[l] += static_cast<double>(a[j + l]) * b[j + l];
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

SINGA_CPU_CLONES_EXACT void Subtract(double share, const float* __restrict from, int64_t n,
                                     float* __restrict x) {
  for (int64_t j = 0; j < n; ++j) x[j] = static_cast<float>(x[j] - share * from[j]);
}

SINGA_CPU_CLONES void Scale(double by, int64_t n, float* __restrict x) {
  for (int64_t j = 0; j < n; ++j) x[j] = static_cast<float>(x[j] * by);
}

}  // namespace

void TimesQ(const LowRankShape& shape, std::span<const float> m, std::span<const float> q,
            std::span<float> p) {
  Columns columns(q, shape.cols, shape.rank);
  FourRows of_m(shape.rows, shape.cols, columns.stride()), of_p(shape.rows, shape.rank, shape.rank);
  for (int64_t row = 0; row < shape.rows; row += kRows) {
    Multiply(of_m.Read(m.data(), row), columns[0], columns.stride(), shape.rank,
             of_p.Room(p.data(), row));
    of_p.Write(p.data(), row);
  }
}

void TransposedTimesP(const LowRankShape& shape, std::span<const float> m, std::span<const float> p,
                      std::span<float> q) {
  std::ranges::fill(q, 0.f);
  Columns columns(q, shape.cols, shape.rank);
  FourRows of_m(shape.rows, shape.cols, columns.stride()), of_p(shape.rows, shape.rank, shape.rank);
  for (int64_t row = 0; row < shape.rows; row += kRows)
    AddTransposed(of_m.Read(m.data(), row), of_p.Read(p.data(), row), columns.stride(), shape.rank,
                  columns[0]);
  columns.CopyTo(q);
}

void Expand(const LowRankShape& shape, std::span<const float> p, std::span<const float> q,
            std::span<float> m) {
  Columns columns(q, shape.cols, shape.rank);
  FourRows of_m(shape.rows, shape.cols, columns.stride()), of_p(shape.rows, shape.rank, shape.rank);
  for (int64_t row = 0; row < shape.rows; row += kRows) {
    MultiplyOut(of_p.Read(p.data(), row), columns[0], columns.stride(), shape.rank,
                of_m.Room(m.data(), row));
    of_m.Write(m.data(), row);
  }
}

void Orthonormalize(const LowRankShape& shape, std::span<float> p) {
  Columns columns(p, shape.rows, shape.rank);
  const int64_t n = columns.stride();  // zeros at the end change no sum
  for (int64_t i = 0; i < shape.rank; ++i) {
    float* const x = columns[i];
    const double before = std::sqrt(Dot(x, x, n));
    for (int pass = 0; pass < 2; ++pass)  // the second one removes the rounding errors of the first
      for (int64_t j = 0; j < i; ++j) Subtract(Dot(x, columns[j], n), columns[j], n, x);
    const double length = std::sqrt(Dot(x, x, n));
    Scale(ToUnit(length, before), n, x);
  }
  columns.CopyTo(p);
}

void RenewColumns(const LowRankShape& shape, const Philox& random, std::span<float> q) {
  for (int64_t i = 0; i < shape.rank; ++i) {
    int64_t zeros = 0;  // at the front of the column
    while (zeros < shape.cols && q[zeros * shape.rank + i] == 0) ++zeros;
    if (zeros < shape.cols) continue;
    for (int64_t col = 0; col < shape.cols; ++col)
      q[col * shape.rank + i] = random.Gaussian(static_cast<uint64_t>(col * shape.rank + i));
  }
}

}  // namespace singa
