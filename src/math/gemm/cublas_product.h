// Products of matrices by cuBLAS, with what it can add to them in the same pass.
#pragma once

#include "singa/math/gemm.h"

namespace singa {

// c = alpha a b + beta c, and b[j] added to each element of column j where `bias` is not null; as
// Gemm has it, on a CUDA stream. Whether cuBLAS can: if not, nothing was done.
// REQUIRES: m, n, k > 0.
bool CublasProduct(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                   GemmOperand b, float beta, float* c, int64_t ldc, const float* bias = nullptr);

}  // namespace singa
