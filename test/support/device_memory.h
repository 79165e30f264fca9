// DeviceMemory lets a test read and write tensors of a context's device.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"

namespace singa {

class DeviceMemory {
 public:
  explicit DeviceMemory(Context* ctx) : ctx_(ctx) {}

  Tensor Allocate(const Shape& shape, DType type = DType::kF32) const {
    return singa::Allocate(*ctx_, shape, type);
  }

  void Write(const void* from, Tensor* to) const {
    Change(to, [&](void* at) { std::memcpy(at, from, to->bytes()); });
  }

  template <typename T = float>
  std::vector<T> Read(const Tensor& tensor) const {
    std::vector<T> values(tensor.bytes() / static_cast<int64_t>(sizeof(T)));
    if (values.empty()) return values;
    const char* from = tensor.as<char>();
    if (ctx_->stream) {
      ctx_->stream->Copy(from, Pinned(tensor.bytes()), tensor.bytes());
      ctx_->stream->Wait();
      from = static_cast<const char*>(pinned_.get());
    }
    std::memcpy(values.data(), from, values.size() * sizeof(T));
    return values;
  }

  // Sets all bits: floats become NaN.
  void Poison(Tensor* tensor) const {
    if (tensor->empty()) return;
    Change(tensor, [&](void* at) { std::memset(at, 0xFF, tensor->bytes()); });
  }

 private:
  // Calls write(memory of the host), and copies the memory to the tensor.
  template <typename F>
  void Change(Tensor* tensor, const F& write) const {
    if (tensor->bytes() == 0) return;
    if (!ctx_->stream) return write(tensor->as<char>());
    write(Pinned(tensor->bytes()));
    ctx_->stream->Copy(pinned_.get(), tensor->as<char>(), tensor->bytes());
    ctx_->stream->Wait();
  }

  // The memory is kept and reused: CUDA takes long to pin memory, and tests move many tensors.
  void* Pinned(int64_t bytes) const {
    if (bytes > pinned_bytes_) {
      pinned_ = ctx_->stream->gpu().AllocatePinned(bytes);
      pinned_bytes_ = bytes;
    }
    return pinned_.get();
  }

  Context* ctx_;
  mutable std::shared_ptr<void> pinned_;  // nothing under way reads or writes it
  mutable int64_t pinned_bytes_ = 0;
};

}  // namespace singa
