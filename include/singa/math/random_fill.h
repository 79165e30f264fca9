// These functions fill arrays with random numbers. x[i] depends only on number first + i of
// `stream`, as Philox::Uniform and Philox::Gaussian give it, not on threads or on how a range is
// split.
#pragma once

#include <cstdint>

#include "singa/base/api.h"
#include "singa/tensor/context.h"

namespace singa {

// Fills x [n] with uniform numbers in [low, high). REQUIRES: low <= high.
SINGA_API void FillUniform(Context& ctx, Philox stream, uint64_t first, int64_t n, float low,
                           float high, float* x);
// Fills x [n] with numbers of the normal distribution N(mean, std^2).
SINGA_API void FillGaussian(Context& ctx, Philox stream, uint64_t first, int64_t n, float mean,
                            float std, float* x);
// Sets mask[i] to `scale` with probability `keep` (if Uniform(first + i) < keep), else to 0. mask:
// [n].
SINGA_API void BernoulliMask(Context& ctx, Philox stream, uint64_t first, int64_t n, float keep,
                             float scale, float* mask);

}  // namespace singa
