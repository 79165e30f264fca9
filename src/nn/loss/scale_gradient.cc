#include "nn/loss/scale_gradient.h"

#include "nn/loss/scale_gradient_elements.h"

namespace singa {
namespace {

void Scale(Context&, float* dx, int64_t n, float weight, const StepState* state) {
  const float factor = ScaleGradientElement{dx, weight, state}.factor();
  for (int64_t i = 0; i < n; ++i) dx[i] *= factor;
}

[[maybe_unused]] const bool registered = ScaleGradient.Set(Device::kCpu, Scale);

}  // namespace
}  // namespace singa
