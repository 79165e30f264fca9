#include "nn/neuron/rbm.h"

#include "math/elementwise/map.cuh"
#include "nn/neuron/rbm_elements.h"

namespace singa {
namespace {

void Binary(Context& ctx, const float* p, float* s, int64_t n) {
  const float* const uniform = s;
  MapElements(ctx, n, BinarySampleOf(), s, p, uniform);
}

void Gaussian(Context& ctx, const float* p, float* s, int64_t n) {
  const float* const normal = s;
  MapElements(ctx, n, GaussianSampleOf(), s, p, normal);
}

[[maybe_unused]] const bool registered =
    BinarySample.Set(Device::kCuda, Binary) && GaussianSample.Set(Device::kCuda, Gaussian);

}  // namespace
}  // namespace singa
