// Gemm by oneDNN, which was 4 times as fast as Debian's OpenBLAS on AVX-512 machines
// (test/bench/gemm_bench.cc measures both).
#include <dnnl.h>

#include <algorithm>
#include <cerrno>

#include "math/gemm/gemm_kernel.h"
#include "math/library/onednn.h"

namespace singa {
namespace {

void Sgemm(int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a, GemmOperand b, float beta,
           float* c, int64_t ldc) {
  errno = 0;
  const dnnl_status_t status = dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n,
                                          k, alpha, a.data, a.ld, b.data, b.ld, beta, c, ldc);
  CheckOnednn(status, "a product of matrices");
}

// oneDNN 2.6 falls to half its speed at weight gradients of 48 to 104 rows (k) where c leaves the
// cache, and keeps it with some rows of c at a time: 9.2 and 4.3 ms for m 2000, n 2500, k 64.
constexpr int64_t kRowsAtATime = 256;
bool WantsPieces(int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b) {
  return a.transposed && !b.transposed && k >= 48 && k <= 104 && m * n > 3'000'000 && n <= 3500;
}

void OnednnGemm(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                GemmOperand b, float beta, float* c, int64_t ldc) {
  if (IsHalf(ctx.precision)) {  // oneDNN rounds no factors
    Context plain = ctx;
    plain.plain = true;
    return GemmKernel(plain, m, n, k, alpha, a, b, beta, c, ldc);
  }
  if (k == 0) {  // dnnl_sgemm would leave c unchanged
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) c[i * ldc + j] = beta == 0 ? 0 : beta * c[i * ldc + j];
    return;
  }
  const int64_t rows = WantsPieces(m, n, k, a, b) ? kRowsAtATime : m;
  for (int64_t i = 0; i < m; i += rows) {
    const GemmOperand part = {a.transposed ? a.data + i : a.data + i * a.ld, a.ld, a.transposed};
    Sgemm(std::min(rows, m - i), n, k, alpha, part, b, beta, c + i * ldc, ldc);
  }
}

[[maybe_unused]] const bool registered = GemmKernel.Set(Device::kCpu, OnednnGemm, Rank::kVendor);

}  // namespace
}  // namespace singa
