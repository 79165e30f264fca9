// Computes a convolution, or its gradients, as matrix products. A matrix has a row per output pixel
// and a column per weight of a filter in the order (row, column, channel).
#pragma once

#include "nn/neuron/convolution.h"

namespace singa {

// Gradients that GemmGradients computes itself.
struct GradientsByGemm {
  bool data = false, weights = false;
};

// Returns `plan` with the gradients of `which` computed as products with the images' matrices, for
// channel counts that waste much of vector kernels. Each thread takes a few images at a time, so
// that their matrix stays in the cache.
std::unique_ptr<ConvolutionPlan> GemmGradients(Context& ctx, const ConvolutionDesc& desc,
                                               GradientsByGemm which,
                                               std::unique_ptr<ConvolutionPlan> plan);

// Returns a plan that computes all by such products, for a library with nothing else. Each thread
// takes a few images at a time, or some rows of a large image. `library` outlives the plan.
std::unique_ptr<ConvolutionPlan> GemmConvolution(Context& ctx, const ConvolutionDesc& desc,
                                                 const char* library);

}  // namespace singa
