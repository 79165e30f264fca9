// Inner product by oneDNN. A feature of up to 128 rows is computed as its transpose: sgemm of
// oneDNN 2.6 is 10 to 30 % faster if w is not transposed and whole vectors of rows fit
// (test/bench/gemm_bench.cc). With fewer than five rows sgemm would pack w for each product, so
// few_rows.h computes these.
#include "math/layout/transpose.h"
#include "nn/neuron/few_rows.h"
#include "nn/neuron/inner_product.h"

namespace singa {
namespace {

constexpr int64_t kLanes = 16, kMostRows = 128;

void Feature(Context& ctx, const float* x, GemmOperand w, const float* b, float* y, int64_t n,
             int64_t h, int64_t v, float* scratch) {
  if (n <= kFewRows) return FewRowsProduct(ctx, x, w, b, y, n, h, v);
  if (w.transposed && n % kLanes == 0 && n <= kMostRows) {
    Gemm(ctx, h, n, v, 1, {w.data, w.ld}, Transposed(x, v), 0, scratch, n);
    TransposeEach(ctx, scratch, y, 1, h, n);
  } else {
    Gemm(ctx, n, h, v, 1, {x, v}, w, 0, y, h);
  }
  if (b) AddBias(ctx, b, y, n, h);
}

[[maybe_unused]] const bool registered =
    InnerProductFeature.Set(Device::kCpu, Feature, Rank::kVendor);

}  // namespace
}  // namespace singa
