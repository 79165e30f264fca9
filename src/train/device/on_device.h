// OnDevice copies the host's items to a device.
#pragma once

#include <vector>

#include "singa/tensor/memory.h"

namespace singa {

// Returns a copy of `items` in memory of the context's device. Throws as Allocate does.
template <typename T>
Tensor OnDevice(const Context& ctx, const std::vector<T>& items) {
  const auto bytes = static_cast<int64_t>(items.size() * sizeof(T));
  Tensor tensor = Allocate(ctx, {bytes}, DType::kU8);
  CopyFromHost(ctx, items.data(), tensor.as<void>(), bytes);
  return tensor;
}

}  // namespace singa
