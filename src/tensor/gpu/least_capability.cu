#include "tensor/gpu/least_capability.h"

namespace singa {
namespace {

// The values of CMAKE_CUDA_ARCHITECTURES, ascending, such as 800, 900.
constexpr int kCompiledFor[] = {__CUDA_ARCH_LIST__};

}  // namespace

constinit const int kLeastCapability = kCompiledFor[0] / 10;

}  // namespace singa
