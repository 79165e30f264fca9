#include "singa/tensor/tensor.h"

#include <glog/logging.h>

#include <cstring>
#include <new>

namespace singa {
namespace {
constexpr std::align_val_t kAlignment{64};
}

Tensor Tensor::Allocate(const Shape& shape, DType type) {
  Tensor tensor;
  tensor.SetShape(shape, type);
  const size_t bytes = static_cast<size_t>(tensor.bytes());
  void* memory = ::operator new(bytes ? bytes : 1, kAlignment);
  std::memset(memory, 0, bytes);
  tensor.owner_ = std::shared_ptr<void>(memory, [](void* p) { ::operator delete(p, kAlignment); });
  tensor.memory_ = memory;
  return tensor;
}

Tensor Tensor::Reshaped(const Shape& shape) const {
  CHECK_EQ(shape.size(), size());
  Tensor view = *this;
  view.shape_ = shape;
  return view;
}

}  // namespace singa
