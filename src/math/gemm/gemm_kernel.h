// The slot behind Gemm.
#pragma once

#include "singa/math/gemm.h"
#include "singa/tensor/kernel.h"

namespace singa {

// c = alpha a b + beta c; a: [m, k], b: [k, n], c: [m, n], row-major. m, n > 0; k may be 0.
inline constinit Kernel<void(int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                             GemmOperand b, float beta, float* c, int64_t ldc)>
    GemmKernel{"Gemm"};

}  // namespace singa
