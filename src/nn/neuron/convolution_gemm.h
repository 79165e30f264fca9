// GemmGradients computes gradients of a convolution as matrix products, for channel counts that
// waste much of vector kernels.
#pragma once

#include "nn/neuron/convolution.h"

namespace singa {

// Gradients that GemmGradients computes itself.
struct GradientsByGemm {
  bool data = false, weights = false;
};

// Returns `plan` with the gradients of `which` computed as products with the images' matrices. A
// matrix has a row per output pixel and a column per weight of a filter in the order (row, column,
// channel). Each thread takes a few images at a time, so that their matrix stays in the cache.
// REQUIRES: desc.groups is 1.
std::unique_ptr<ConvolutionPlan> GemmGradients(Context& ctx, const ConvolutionDesc& desc,
                                               GradientsByGemm which,
                                               std::unique_ptr<ConvolutionPlan> plan);

}  // namespace singa
