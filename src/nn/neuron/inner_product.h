// The inner product is y = x W^T + b for rows x of a [n, v] feature.
//   dx = dy W,  dW = dy^T x,  db = sum over rows of dy. Equals torch.nn.functional.linear.
// Gemm computes the products of the gradients.
#pragma once

#include "singa/math/gemm.h"
#include "singa/tensor/kernel.h"

namespace singa {

// y = x w^T + b; x: [n, v]; w: [h, v], or its transpose if `w.transposed`; b: [h] or null;
// y: [n, h]; scratch: [n, h].
inline constinit Kernel<void(const float* x, GemmOperand w, const float* b, float* y, int64_t n,
                             int64_t h, int64_t v, float* scratch)>
    InnerProductFeature{"InnerProductFeature"};

// y[r][j] += b[j]; y: [n, h]; b: [h].
inline constinit Kernel<void(const float* b, float* y, int64_t n, int64_t h)> AddBias{"AddBias"};

// db[j] = beta db[j] + sum over r of dy[r][j]; dy: [n, h]; db: [h]. beta 0: db is not read.
inline constinit Kernel<void(const float* dy, float beta, float* db, int64_t n, int64_t h)>
    SumBiasGradient{"SumBiasGradient"};

}  // namespace singa
