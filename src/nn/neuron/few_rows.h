// FewRowsProduct computes inner products of few rows, as when a text is written step by step. It
// reads w where it lies. A library's matrix product would pack w first, which costs more than the
// product.
#pragma once

#include "singa/math/gemm.h"

namespace singa {

inline constexpr int64_t kFewRows = 4;

// y = x w^T + b, as InnerProductFeature, by the CPU. REQUIRES: n <= kFewRows.
void FewRowsProduct(Context& ctx, const float* x, const GemmOperand& w, const float* b, float* y,
                    int64_t n, int64_t h, int64_t v);

}  // namespace singa
