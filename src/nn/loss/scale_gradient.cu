#include "nn/loss/scale_gradient.h"

#include "nn/loss/scale_gradient_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Scale(Context& ctx, float* dx, int64_t n, float weight, const StepState* state) {
  ForEach(ctx, n, ScaleGradientElement{dx, weight, state});
}

[[maybe_unused]] const bool registered = ScaleGradient.Set(Device::kCuda, Scale);

}  // namespace
}  // namespace singa
