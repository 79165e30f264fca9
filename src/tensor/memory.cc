#include "singa/tensor/memory.h"

#include <cstring>

#include "singa/tensor/stream.h"

namespace singa {

Tensor Allocate(const Context& ctx, const Shape& shape, DType type) {
  if (!ctx.stream) return Tensor::Allocate(shape, type);
  Tensor tensor;
  tensor.SetShape(shape, type);
  tensor.Own(ctx.stream->gpu().Allocate(tensor.bytes()));
  return tensor;
}

void CopyBytes(Context& ctx, const void* from, void* to, int64_t bytes) {
  if (from == to || bytes == 0) return;
  if (ctx.stream) return ctx.stream->Copy(from, to, bytes);
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

void CopyFromHost(const Context& ctx, const void* from, void* to, int64_t bytes) {
  if (bytes == 0) return;
  if (!ctx.stream) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  const std::shared_ptr<void> pinned = ctx.stream->gpu().AllocatePinned(bytes);
  std::memcpy(pinned.get(), from, static_cast<size_t>(bytes));
  ctx.stream->Copy(pinned.get(), to, bytes);
  ctx.stream->Wait();
}

void ZeroBytes(Context& ctx, void* to, int64_t bytes) {
  if (bytes == 0) return;
  if (ctx.stream) return ctx.stream->Zero(to, bytes);
  std::memset(to, 0, static_cast<size_t>(bytes));
}

Tensor OnHost(const Context& ctx, const Tensor& tensor) {
  if (!ctx.stream) return tensor;
  Tensor host;
  host.SetShape(tensor.shape(), tensor.type());
  host.Own(ctx.stream->gpu().AllocatePinned(tensor.bytes()));
  ctx.stream->Copy(tensor.as<char>(), host.as<char>(), tensor.bytes());
  ctx.stream->Wait();
  return host;
}

}  // namespace singa
