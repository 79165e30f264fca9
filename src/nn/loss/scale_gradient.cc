#include "nn/loss/scale_gradient.h"

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/loss/scale_gradient_elements.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void ScaleSlice(float* dx, int64_t n, float factor) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] *= factor;
}

void Scale(Context& ctx, float* dx, int64_t n, float weight, const StepState* state) {
  const float factor = ScaleGradientElement{dx, weight, state}.factor();
  ParallelSlices(ctx, n, [=](int64_t i, int64_t end) { ScaleSlice(dx + i, end - i, factor); });
}

[[maybe_unused]] const bool registered = ScaleGradient.Set(Device::kCpu, Scale);

}  // namespace
}  // namespace singa
