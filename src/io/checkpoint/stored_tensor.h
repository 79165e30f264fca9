// StoredTensor is a named tensor of a safetensors file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "singa/tensor/shape.h"

namespace singa {

// SINGA's own files have kU8, kI32, kF32, kI64, kU64 and kF64.
enum class StoredType : uint8_t {
  kBool,
  kU8,
  kI8,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kI64,
  kU64,
  kF64
};

// Returns the safetensors name, such as "F32".
std::string_view NameOf(StoredType type);
std::optional<StoredType> StoredTypeOf(std::string_view name);
int64_t SizeOf(StoredType type);
// Returns whether tensors of this type hold floating-point numbers.
bool IsFloating(StoredType type);

template <typename T>
constexpr StoredType kStoredTypeOf = [] {
  if constexpr (std::is_same_v<T, uint8_t>) return StoredType::kU8;
  if constexpr (std::is_same_v<T, int32_t>) return StoredType::kI32;
  if constexpr (std::is_same_v<T, float>) return StoredType::kF32;
  if constexpr (std::is_same_v<T, int64_t>) return StoredType::kI64;
  if constexpr (std::is_same_v<T, uint64_t>) return StoredType::kU64;
  if constexpr (std::is_same_v<T, double>) return StoredType::kF64;
}();

struct StoredTensor {
  std::string name;
  StoredType type = StoredType::kF32;
  Shape shape;                 // no dimensions: one number
  const void* data = nullptr;  // row-major; not owned; maybe unaligned when read from a file

  int64_t bytes() const { return shape.size() * SizeOf(type); }
};

// Returns a copy of the numbers. REQUIRES: the type is kF32.
std::vector<float> FloatsIn(const StoredTensor& tensor);

template <typename T>
StoredTensor Stored(std::string name, const Shape& shape, const T* data) {
  return {std::move(name), kStoredTypeOf<T>, shape, data};
}

}  // namespace singa
