#include "nn/input/mnist.h"

#include "math/elementwise/map.cuh"
#include "nn/input/mnist_elements.h"

namespace singa {
namespace {

void Normalise(Context& ctx, const float* x, float* y, int64_t n, float a, float b) {
  MapElements(ctx, n, DivideSubtractOf{a, b}, y, x);
}

[[maybe_unused]] const bool registered = DivideSubtract.Set(Device::kCuda, Normalise);

}  // namespace
}  // namespace singa
