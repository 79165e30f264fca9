// These functions allocate memory on a context's device, and copy in the order of its work. A layer
// that accesses tensors only by them and by kernels runs on any device.
#pragma once

#include <cstdint>

#include "singa/base/api.h"
#include "singa/tensor/context.h"

namespace singa {

// Returns zero-filled memory on the context's device. Throws std::bad_alloc or DeviceError.
SINGA_API Tensor Allocate(const Context& ctx, const Shape& shape, DType type = DType::kF32);

// Copies or zeroes memory of the context's device. Ranges must not overlap, but from == to is
// allowed and copies nothing.
SINGA_API void CopyBytes(Context& ctx, const void* from, void* to, int64_t bytes);
SINGA_API void ZeroBytes(Context& ctx, void* to, int64_t bytes);

// Copies from any memory of the host and waits until the copy is done. REQUIRES: no work is being
// captured.
SINGA_API void CopyFromHost(const Context& ctx, const void* from, void* to, int64_t bytes);

inline void CopyFloats(Context& ctx, const float* from, float* to, int64_t n) {
  CopyBytes(ctx, from, to, n * static_cast<int64_t>(sizeof(float)));
}
inline void ZeroFloats(Context& ctx, float* to, int64_t n) {
  ZeroBytes(ctx, to, n * static_cast<int64_t>(sizeof(float)));
}

// Returns a copy of `tensor` in the host's memory, after waiting for the earlier work. Without a
// stream, returns `tensor` itself.
SINGA_API Tensor OnHost(const Context& ctx, const Tensor& tensor);

}  // namespace singa
