// Computes Gemm by blocks of a device's threads. Each block does a square of c.
#pragma once

#include "math/elementwise/half.h"
#include "singa/math/gemm.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// The block's shared memory holds the factors of kDeep steps of k. A thread keeps 4 x 4 sums in
// registers, which it adds up in the order of k. REQUIRES: kThreads threads.
struct GemmTile {
  static constexpr int kSide = 64, kDeep = 16, kEach = 4;
  static constexpr int kThreads = (kSide / kEach) * (kSide / kEach);
  struct Factors {
    float a[kDeep][kSide + 1], b[kDeep][kSide];  // one column more avoids bank conflicts
  };

  int64_t m, n, k;
  float alpha, beta;
  GemmOperand a, b;
  float* c;
  int64_t ldc;
  Precision precision = Precision::kFloat32;

  static SINGA_HD int64_t Across(int64_t size) { return (size + kSide - 1) / kSide; }
  SINGA_HD int64_t tiles() const { return Across(m) * Across(n); }

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t tile) const {
    Factors& factors = block.template Shared<Factors>();
    const int64_t i0 = tile / Across(n) * kSide, j0 = tile % Across(n) * kSide;
    const int row = block.thread() / (kSide / kEach), column = block.thread() % (kSide / kEach);
    float sum[kEach][kEach] = {};
    for (int64_t p0 = 0; p0 < k; p0 += kDeep) {
      block.Sync();  // others may still read the old factors
      Load(block.thread(), i0, j0, p0, &factors);
      block.Sync();
      for (int p = 0; p < kDeep; ++p)
        for (int i = 0; i < kEach; ++i)
          for (int j = 0; j < kEach; ++j)
            sum[i][j] += factors.a[p][row * kEach + i] * factors.b[p][column + j * (kSide / kEach)];
    }
    for (int i = 0; i < kEach; ++i)
      for (int j = 0; j < kEach; ++j)
        Store(i0 + row * kEach + i, j0 + column + j * (kSide / kEach), sum[i][j]);
  }

  SINGA_HD float At(const GemmOperand& x, int64_t i, int64_t j, int64_t rows, int64_t cols) const {
    if (i >= rows || j >= cols) return 0;
    return Rounded(precision, x.transposed ? x.data[j * x.ld + i] : x.data[i * x.ld + j]);
  }

  // Neighbouring threads read neighbouring floats, whether a matrix is transposed or not.
  SINGA_HD void Load(int thread, int64_t i0, int64_t j0, int64_t p0, Factors* factors) const {
    for (int at = thread; at < kSide * kDeep; at += kThreads) {
      const int i = a.transposed ? at % kSide : at / kDeep;
      const int ap = a.transposed ? at / kSide : at % kDeep;
      factors->a[ap][i] = At(a, i0 + i, p0 + ap, m, k);
      const int j = b.transposed ? at / kDeep : at % kSide;
      const int bp = b.transposed ? at % kDeep : at / kSide;
      factors->b[bp][j] = At(b, p0 + bp, j0 + j, k, n);
    }
  }

  SINGA_HD void Store(int64_t i, int64_t j, float sum) const {
    if (i >= m || j >= n) return;
    float* const at = c + i * ldc + j;
    *at = beta == 0 ? alpha * sum : alpha * sum + beta * *at;
  }
};

}  // namespace singa
