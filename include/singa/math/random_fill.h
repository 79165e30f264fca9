// Fills with random numbers. x[i] is number first + i of `stream`, as Philox's members of the same
// name give it, whatever the threads and wherever a range is cut.
#pragma once

#include <cstdint>

#include "singa/base/api.h"
#include "singa/tensor/context.h"

namespace singa {

// Uniform in [low, high). REQUIRES: low <= high.
SINGA_API void FillUniform(Context& ctx, Philox stream, uint64_t first, int64_t n, float low,
                           float high, float* x);
// Normal.
SINGA_API void FillGaussian(Context& ctx, Philox stream, uint64_t first, int64_t n, float mean,
                            float std, float* x);
// `scale` with probability `keep` (Uniform(first + i) < keep), else 0.
SINGA_API void BernoulliMask(Context& ctx, Philox stream, uint64_t first, int64_t n, float keep,
                             float scale, float* mask);

}  // namespace singa
