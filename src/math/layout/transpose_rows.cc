#include "math/layout/transpose_rows.h"

#include <cstring>
#include <utility>

namespace singa {
namespace {

struct TransposedRows {
  const float* x;
  int64_t x_stride, rows, columns;
  float* y;
  int64_t y_stride;
};

// Swaps the squares of kStep x kStep right of the diagonal of rows a with those left of it of rows
// b, which are kStep rows below.
template <int kSide, int kStep, typename Vector, int... k>
[[gnu::always_inline]] inline void SwapSquares(Vector& a, Vector& b,
                                               std::integer_sequence<int, k...>) {
  const Vector left = __builtin_shufflevector(a, b, ((k & kStep) ? kSide + k - kStep : k)...);
  b = __builtin_shufflevector(a, b, ((k & kStep) ? kSide + k : k + kStep)...);
  a = left;
}

template <int kSide, int kStep, typename Vector>
[[gnu::always_inline]] inline void TransposeRegisters(Vector (&rows)[kSide]) {
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i)
    if ((i & kStep) == 0)
      SwapSquares<kSide, kStep>(rows[i], rows[i + kStep], std::make_integer_sequence<int, kSide>());
  if constexpr (kStep > 1) TransposeRegisters<kSide, kStep / 2>(rows);
}

// Transposes the kSide x kSide elements from (row, column) on.
template <int kSide>
[[gnu::always_inline]] inline void TransposeSquare(const TransposedRows& m, int64_t row,
                                                   int64_t column) {
  using Vector [[gnu::vector_size(kSide * sizeof(float))]] = float;
  Vector rows[kSide];
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i)
    std::memcpy(&rows[i], m.x + (row + i) * m.x_stride + column, sizeof(Vector));
  TransposeRegisters<kSide, kSide / 2>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < kSide; ++i)
    std::memcpy(m.y + (column + i) * m.y_stride + row, &rows[i], sizeof(Vector));
}

template <int kSide>
[[gnu::always_inline]] inline void TransposeInSquares(const TransposedRows& m) {
  const int64_t rows = m.rows / kSide * kSide, columns = m.columns / kSide * kSide;
  for (int64_t j = 0; j < columns; j += kSide)
    for (int64_t i = 0; i < rows; i += kSide) TransposeSquare<kSide>(m, i, j);
  for (int64_t j = 0; j < m.columns; ++j)
    for (int64_t i = j < columns ? rows : 0; i < m.rows; ++i)
      m.y[j * m.y_stride + i] = m.x[i * m.x_stride + j];
}

void BaselineSquares(const TransposedRows& m) { TransposeInSquares<4>(m); }

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void Avx512Squares(const TransposedRows& m) {
  TransposeInSquares<16>(m);
}
[[gnu::target("avx2")]] void Avx2Squares(const TransposedRows& m) { TransposeInSquares<8>(m); }

auto ChooseSquares() {
  if (__builtin_cpu_supports("avx512f")) return Avx512Squares;
  return __builtin_cpu_supports("avx2") ? Avx2Squares : BaselineSquares;
}
#else
auto ChooseSquares() { return BaselineSquares; }
#endif

}  // namespace

void TransposeRows(const float* x, int64_t x_stride, int64_t rows, int64_t columns, float* y,
                   int64_t y_stride) {
  static const auto transpose = ChooseSquares();
  transpose({x, x_stride, rows, columns, y, y_stride});
}

}  // namespace singa
