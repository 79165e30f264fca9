#include "tensor/gpu/least_capability.h"

namespace singa {
namespace {

// As CMAKE_CUDA_ARCHITECTURES has them, ascending: 800, 900.
constexpr int kCompiledFor[] = {__CUDA_ARCH_LIST__};

}  // namespace

constinit const int kLeastCapability = kCompiledFor[0] / 10;

}  // namespace singa
