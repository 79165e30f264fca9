// Gemm multiplies two row-major float32 matrices, whose elements are rounded to the context's
// precision.
#pragma once

#include <cstdint>

#include "singa/base/api.h"
#include "singa/tensor/context.h"

namespace singa {

// A matrix that Gemm reads: rows of `ld` floats. Transposed(w, ld) is read as its transpose.
struct GemmOperand {
  const float* data;
  int64_t ld;
  bool transposed = false;
};

inline GemmOperand Transposed(const float* data, int64_t ld) { return {data, ld, true}; }

// Computes c = alpha a b + beta c. a: [m, k]; b: [k, n]; c: [m, n], rows `ldc` floats apart. If
// beta is 0, the old content of c is not read. Uses ctx.threads threads. Equal sizes and threads
// give equal bits. REQUIRES: c overlaps neither a nor b.
//   y = x w^T:  Gemm(ctx, n, h, v, 1, {x, v}, Transposed(w, v), 0, y, h)
SINGA_API void Gemm(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
                    GemmOperand b, float beta, float* c, int64_t ldc);

}  // namespace singa
