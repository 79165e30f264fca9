// Gemm by oneDNN, which was 4 times as fast as Debian's OpenBLAS on AVX-512 machines
// (test/bench/gemm_bench.cc measures both).
#include <dnnl.h>
#include <glog/logging.h>

#include "math/gemm_kernel.h"

namespace singa {
namespace {

void OnednnGemm(Context&, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                GemmOperand b, float beta, float* c, int64_t ldc) {
  if (k == 0) {  // dnnl_sgemm would leave c as it is
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) c[i * ldc + j] = beta == 0 ? 0 : beta * c[i * ldc + j];
    return;
  }
  const dnnl_status_t status = dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n,
                                          k, alpha, a.data, a.ld, b.data, b.ld, beta, c, ldc);
  CHECK_EQ(status, dnnl_success) << "dnnl_sgemm of " << m << " x " << n << " x " << k;
}

[[maybe_unused]] const bool registered = GemmKernel.Set(Device::kCpu, OnednnGemm, Rank::kVendor);

}  // namespace
}  // namespace singa
