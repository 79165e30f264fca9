// Multiplies matrices by cuBLAS, which can add a bias in the same pass.
#pragma once

#include "singa/math/gemm.h"

namespace singa {

// Computes c = alpha a b + beta c, as Gemm does, on a CUDA stream. If `bias` is not null, adds
// bias[j] to each element of column j. Returns false, and does nothing, if cuBLAS cannot do it.
// REQUIRES: m, n, k > 0.
bool CublasProduct(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                   GemmOperand b, float beta, float* c, int64_t ldc, const float* bias = nullptr);

}  // namespace singa
