// Inner product by OpenBLAS, in builds without oneDNN. Its product packs w, as oneDNN's does, which
// is too much for few rows.
#include "nn/neuron/few_rows.h"
#include "nn/neuron/inner_product.h"

namespace singa {
namespace {

void Feature(Context& ctx, const float* x, GemmOperand w, const float* b, float* y, int64_t n,
             int64_t h, int64_t v, float*) {
  if (n <= kFewRows) return FewRowsProduct(ctx, x, w, b, y, n, h, v);
  Gemm(ctx, n, h, v, 1, {x, v}, w, 0, y, h);
  if (b) AddBias(ctx, b, y, n, h);
}

[[maybe_unused]] const bool registered =
    InnerProductFeature.Set(Device::kCpu, Feature, Rank::kVendor);

}  // namespace
}  // namespace singa
