// Memory where a context computes, and plain copies in the order of its work. A layer that reaches
// its tensors by these and by kernels alone runs on any device.
#pragma once

#include <cstdint>

#include "singa/base/api.h"
#include "singa/tensor/context.h"

namespace singa {

// Zero-filled memory on the context's device. Throws std::bad_alloc, DeviceError.
SINGA_API Tensor Allocate(const Context& ctx, const Shape& shape, DType type = DType::kF32);

// Overlap is not allowed, but from == to is: nothing moves.
SINGA_API void CopyBytes(Context& ctx, const void* from, void* to, int64_t bytes);
SINGA_API void ZeroBytes(Context& ctx, void* to, int64_t bytes);

// From any memory of the host, which may change afterwards: it waits. Not while work is captured.
SINGA_API void CopyFromHost(const Context& ctx, const void* from, void* to, int64_t bytes);

inline void CopyFloats(Context& ctx, const float* from, float* to, int64_t n) {
  CopyBytes(ctx, from, to, n * static_cast<int64_t>(sizeof(float)));
}
inline void ZeroFloats(Context& ctx, float* to, int64_t n) {
  ZeroBytes(ctx, to, n * static_cast<int64_t>(sizeof(float)));
}

// The host's copy of a tensor, or the tensor where it is the host's. Waits for the work before.
SINGA_API Tensor OnHost(const Context& ctx, const Tensor& tensor);

}  // namespace singa
