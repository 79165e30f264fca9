#include "math/gemm/cublas_product.h"
#include "math/gemm/gemm_kernel.h"

namespace singa {
namespace {

void CublasGemm(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                GemmOperand b, float beta, float* c, int64_t ldc) {
  if (k > 0 && CublasProduct(ctx, m, n, k, alpha, a, b, beta, c, ldc)) return;
  Context plain = ctx;
  plain.plain = true;
  GemmKernel(plain, m, n, k, alpha, a, b, beta, c, ldc);
}

[[maybe_unused]] const bool registered = GemmKernel.Set(Device::kCuda, CublasGemm, Rank::kVendor);

}  // namespace
}  // namespace singa
