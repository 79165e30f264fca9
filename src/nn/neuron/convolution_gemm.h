// Gradients of a convolution as matrix products, for channel counts that vector kernels fill badly.
#pragma once

#include "nn/neuron/convolution.h"

namespace singa {

// Which gradients GemmGradients computes itself.
struct GradientsByGemm {
  bool data = false, weights = false;
};

// `plan` with the gradients of `which` computed as products with the images' matrices: a row per
// output pixel, a column per weight of a filter in the order (row, column, channel). A few images
// at a time, so that their matrix stays in cache, and those on one thread.
std::unique_ptr<ConvolutionPlan> GemmGradients(Context& ctx, const ConvolutionDesc& desc,
                                               GradientsByGemm which,
                                               std::unique_ptr<ConvolutionPlan> plan);

}  // namespace singa
