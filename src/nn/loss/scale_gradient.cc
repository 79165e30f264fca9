#include "nn/loss/scale_gradient.h"

#include "nn/loss/scale_gradient_elements.h"

namespace singa {
namespace {

void Scale(Context&, float* dx, int64_t n, const StepState* state) {
  const ScaleGradientElement scale = {dx, state};
  for (int64_t i = 0; i < n; ++i) scale(i);
}

[[maybe_unused]] const bool registered = ScaleGradient.Set(Device::kCpu, Scale);

}  // namespace
}  // namespace singa
