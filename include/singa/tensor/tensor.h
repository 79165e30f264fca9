// Tensor is a typed, shaped view of memory on a device. Copies share the memory.
//
// Layout. A tensor of four dimensions that is a feature (or a feature's gradient) has the logical
// shape (n, c, h, w) and is stored channels-last: element (n, c, h, w) lies at
// ((n * H + h) * W + w) * C + c. Everything else is stored row-major in its logical order.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "singa/base/api.h"
#include "singa/tensor/shape.h"

namespace singa {

enum class Device : uint8_t { kCpu, kCuda };
enum class DType : uint8_t { kF32, kF64, kF16, kBF16, kI32, kU8 };

constexpr int64_t SizeOf(DType type) {
  constexpr int64_t bytes[] = {4, 8, 2, 2, 4, 1};
  return bytes[static_cast<int>(type)];
}

class SINGA_API Tensor {
 public:
  Tensor() = default;
  // Returns a tensor with its own zero-filled memory, aligned to 64 bytes. Throws std::bad_alloc.
  static Tensor Allocate(const Shape& shape, DType type = DType::kF32);

  // Sets the shape; the memory is bound later.
  void SetShape(const Shape& shape, DType type = DType::kF32) {
    shape_ = shape;
    type_ = type;
  }
  // Views `memory`, which must outlive the view.
  void Bind(void* memory) {
    memory_ = memory;
    owner_.reset();
  }
  // Binds `memory` and shares its ownership.
  void Own(std::shared_ptr<void> memory) {
    memory_ = memory.get();
    owner_ = std::move(memory);
  }

  const Shape& shape() const { return shape_; }
  DType type() const { return type_; }
  int64_t size() const { return shape_.size(); }
  int64_t bytes() const { return size() * SizeOf(type_); }
  int64_t rows() const { return shape_.dims() ? shape_[0] : 1; }
  int64_t row_size() const { return shape_.size(1); }
  // Returns whether no memory is bound. A gradient that nothing needs stays empty.
  bool empty() const { return memory_ == nullptr; }

  float* data() { return static_cast<float*>(memory_); }
  const float* data() const { return static_cast<const float*>(memory_); }
  template <typename T>
  T* as() {
    return static_cast<T*>(memory_);
  }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(memory_);
  }

 private:
  Shape shape_;
  DType type_ = DType::kF32;
  void* memory_ = nullptr;
  std::shared_ptr<void> owner_;  // null for views
};

}  // namespace singa
