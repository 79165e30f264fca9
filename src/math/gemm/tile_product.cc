#include "math/gemm/tile_product.h"

#include <cstring>

#include "base/round_up.h"

namespace singa {
namespace {

struct TileOperands {
  int64_t m, n, k;
  TileFactor a;
  const float* b;
  int64_t ldb;
  bool add;
  float* c;
  int64_t ldc;
};

// Computes kRows rows of kVectors vectors of kBytes; they stay in registers over the whole of k.
template <int kBytes, int kRows, int kVectors>
[[gnu::always_inline]] inline void ComputeTile(const TileOperands& p, int64_t row, int64_t column) {
  using Vector [[gnu::vector_size(kBytes)]] = float;
  constexpr int64_t kFloats = kBytes / sizeof(float);
  Vector sums[kRows][kVectors];
  float* const c = p.c + row * p.ldc + column;
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = Vector{};
      if (p.add) std::memcpy(&sums[i][v], c + i * p.ldc + v * kFloats, kBytes);
    }
  const float* a = p.a.data + row * p.a.row;
  const float* b = p.b + column;
  for (int64_t q = 0; q < p.k; ++q, a += p.a.column, b += p.ldb) {
    Vector right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) std::memcpy(&right[v], b + v * kFloats, kBytes);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const float left = a[i * p.a.row];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[i][v] += left * right[v];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      std::memcpy(c + i * p.ldc + v * kFloats, &sums[i][v], kBytes);
}

// Computes the columns from `column` on in tiles that are kVectors vectors wide, and the rest in
// narrower tiles. A strip of b stays in the first-level cache for all rows.
template <int kBytes, int kRows, int kVectors>
[[gnu::always_inline]] inline void ComputeStrips(const TileOperands& p, int64_t column) {
  constexpr int64_t kWide = kVectors * kBytes / sizeof(float);
  static_assert(kTileRows % kRows == 0);
  const int64_t rows = RoundUp(p.m, kTileRows), columns = RoundUp(p.n, kTileColumns);
  for (; column + kWide <= columns; column += kWide)
    for (int64_t row = 0; row < rows; row += kRows)
      ComputeTile<kBytes, kRows, kVectors>(p, row, column);
  if constexpr (kWide > kTileColumns) {
    if (column < columns) ComputeStrips<kBytes, kRows, kVectors / 2>(p, column);
  }
}

// The sums of a tile take most of the registers: 24 of 32, 12 of 16, or 8 of 16.
void BaselineTiles(const TileOperands& p) { ComputeStrips<16, 2, 4>(p, 0); }

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void Avx512Tiles(const TileOperands& p) {
  ComputeStrips<64, 6, 4>(p, 0);
}
[[gnu::target("avx2,fma")]] void Avx2Tiles(const TileOperands& p) { ComputeStrips<32, 6, 2>(p, 0); }

auto ChooseTiles() {
  if (__builtin_cpu_supports("avx512f")) return Avx512Tiles;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Avx2Tiles
                                                                         : BaselineTiles;
}
#else
auto ChooseTiles() { return BaselineTiles; }
#endif

}  // namespace

void TileProduct(int64_t m, int64_t n, int64_t k, TileFactor a, const float* b, int64_t ldb,
                 bool add, float* c, int64_t ldc) {
  static const auto product = ChooseTiles();
  product({m, n, k, a, b, ldb, add, c, ldc});
}

}  // namespace singa
