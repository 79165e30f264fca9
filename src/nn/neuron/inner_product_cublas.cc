// Inner product by cuBLAS, which adds the bias when it stores the product.
#include "math/gemm/cublas_product.h"
#include "nn/neuron/inner_product.h"

namespace singa {
namespace {

void Feature(Context& ctx, const float* x, GemmOperand w, const float* b, float* y, int64_t n,
             int64_t h, int64_t v, float*) {
  if (b && n > 0 && CublasProduct(ctx, n, h, v, 1, {x, v}, w, 0, y, h, b)) return;
  Gemm(ctx, n, h, v, 1, {x, v}, w, 0, y, h);
  if (b) AddBias(ctx, b, y, n, h);
}

[[maybe_unused]] const bool registered =
    InnerProductFeature.Set(Device::kCuda, Feature, Rank::kVendor);

}  // namespace
}  // namespace singa
