#include "singa/math/gemm.h"

#include <glog/logging.h>

#include <algorithm>

#include "math/elementwise/half.h"
#include "math/gemm/gemm_kernel.h"

namespace singa {
namespace {

constexpr int64_t kBlock = 64;  // a block of b is 16 KiB: half of a first-level cache

// block[p][j] = b(p0 + p, j0 + j) for p < rows, j < cols.
void PackBlock(const GemmOperand& b, int64_t p0, int64_t j0, int64_t rows, int64_t cols,
               Precision precision, float (*block)[kBlock]) {
  for (int64_t p = 0; p < rows; ++p)
    for (int64_t j = 0; j < cols; ++j)
      block[p][j] = Rounded(precision, b.transposed ? b.data[(j0 + j) * b.ld + p0 + p]
                                                    : b.data[(p0 + p) * b.ld + j0 + j]);
}

void Scale(int64_t m, int64_t n, float beta, float* c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i, c += ldc)
    for (int64_t j = 0; j < n; ++j) c[j] = beta == 0 ? 0 : beta * c[j];
}

// The definition is c[i][j] = beta c[i][j] + sum over p of alpha a(i, p) b(p, j), p in order, with
// a and b in the context's precision.
void PlainGemm(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
               GemmOperand b, float beta, float* c, int64_t ldc) {
  float block[kBlock][kBlock];
  Scale(m, n, beta, c, ldc);
  for (int64_t j0 = 0; j0 < n; j0 += kBlock) {
    const int64_t cols = std::min(kBlock, n - j0);
    for (int64_t p0 = 0; p0 < k; p0 += kBlock) {
      const int64_t rows = std::min(kBlock, k - p0);
      PackBlock(b, p0, j0, rows, cols, ctx.precision, block);
      for (int64_t i = 0; i < m; ++i) {
        float* const row = c + i * ldc + j0;
        for (int64_t p = 0; p < rows; ++p) {
          const float a_ip = Rounded(ctx.precision, a.transposed ? a.data[(p0 + p) * a.ld + i]
                                                                 : a.data[i * a.ld + p0 + p]);
          for (int64_t j = 0; j < cols; ++j) row[j] += alpha * a_ip * block[p][j];
        }
      }
    }
  }
}

[[maybe_unused]] const bool registered = GemmKernel.Set(Device::kCpu, PlainGemm);

}  // namespace

void Gemm(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a, GemmOperand b,
          float beta, float* c, int64_t ldc) {
  DCHECK(m >= 0 && n >= 0 && k >= 0 && ldc >= n);
  DCHECK(a.ld >= (a.transposed ? m : k) && b.ld >= (b.transposed ? k : n));
  if (m > 0 && n > 0) GemmKernel(ctx, m, n, k, alpha, a, b, beta, c, ldc);
}

}  // namespace singa
