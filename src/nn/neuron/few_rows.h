// Inner products of few rows, as when a text is written step by step. They read w where it lies; a
// library's matrix product would pack it first, which costs more than the product.
#pragma once

#include "singa/math/gemm.h"

namespace singa {

inline constexpr int64_t kFewRows = 4;

// y = x w^T + b, as InnerProductFeature, by the CPU. REQUIRES: n <= kFewRows.
void FewRowsProduct(Context& ctx, const float* x, const GemmOperand& w, const float* b, float* y,
                    int64_t n, int64_t h, int64_t v);

}  // namespace singa
