#include "io/checkpoint/stored_tensor.h"

#include <array>
#include <cstring>

namespace singa {
namespace {

struct TypeRow {
  std::string_view name;
  int64_t bytes;
};

constexpr std::array<TypeRow, 13> kTypes = {{{"BOOL", 1},
                                             {"U8", 1},
                                             {"I8", 1},
                                             {"I16", 2},
                                             {"U16", 2},
                                             {"F16", 2},
                                             {"BF16", 2},
                                             {"I32", 4},
                                             {"U32", 4},
                                             {"F32", 4},
                                             {"I64", 8},
                                             {"U64", 8},
                                             {"F64", 8}}};

}  // namespace

std::string_view NameOf(StoredType type) { return kTypes[static_cast<size_t>(type)].name; }

int64_t SizeOf(StoredType type) { return kTypes[static_cast<size_t>(type)].bytes; }

bool IsFloating(StoredType type) {
  return type == StoredType::kF32 || type == StoredType::kF64 || type == StoredType::kF16 ||
         type == StoredType::kBF16;
}

std::vector<float> FloatsIn(const StoredTensor& tensor) {
  std::vector<float> floats(static_cast<size_t>(tensor.shape.size()));
  if (!floats.empty()) std::memcpy(floats.data(), tensor.data, tensor.bytes());
  return floats;
}

std::optional<StoredType> StoredTypeOf(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i].name == name) return static_cast<StoredType>(i);
  return std::nullopt;
}

}  // namespace singa
