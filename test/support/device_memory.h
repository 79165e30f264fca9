// DeviceMemory: tensors where a context computes, as a test reads and writes them.
#pragma once

#include <vector>

#include "singa/tensor/memory.h"

namespace singa {

class DeviceMemory {
 public:
  explicit DeviceMemory(Context* ctx) : ctx_(ctx) {}

  Tensor Allocate(const Shape& shape, DType type = DType::kF32) const {
    return singa::Allocate(*ctx_, shape, type);
  }

  void Write(const void* from, Tensor* to) const {
    CopyFromHost(*ctx_, from, to->as<char>(), to->bytes());
  }

  template <typename T = float>
  std::vector<T> Read(const Tensor& tensor) const {
    const Tensor host = OnHost(*ctx_, tensor);
    return {host.as<T>(), host.as<T>() + tensor.bytes() / static_cast<int64_t>(sizeof(T))};
  }

  // All bits set: NaN where it holds floats.
  void Poison(Tensor* tensor) const {
    if (tensor->empty()) return;
    const std::vector<char> ones(tensor->bytes(), static_cast<char>(0xFF));
    Write(ones.data(), tensor);
  }

 private:
  Context* ctx_;
};

}  // namespace singa
