// The slots behind singa/math/random_fill.h.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

inline constinit Kernel<void(Philox stream, uint64_t first, int64_t n, float low, float high,
                             float* x)>
    UniformKernel{"FillUniform"};
inline constinit Kernel<void(Philox stream, uint64_t first, int64_t n, float mean, float std,
                             float* x)>
    GaussianKernel{"FillGaussian"};
inline constinit Kernel<void(Philox stream, uint64_t first, int64_t n, float keep, float scale,
                             float* mask)>
    BernoulliKernel{"BernoulliMask"};

}  // namespace singa
