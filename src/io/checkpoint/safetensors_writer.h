// WriteSafetensors writes a safetensors file directly from the caller's memory. It computes
// checksums in the same pass.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/checkpoint/stored_tensor.h"

namespace singa {

struct FileSums {
  int64_t bytes = 0;
  std::string sha256;
  std::map<std::string, uint32_t> crc32c;  // of each tensor's bytes
};

// Order of tensors with types of one size.
enum class TensorOrder : uint8_t { kByName, kAsGiven };

// Writes all of `file`; the caller calls Sync and Close. Tensors are sorted by falling size of
// type, then as `order` says, so that each is aligned to its type. Throws FileError, or ConfigError
// for names that the format cannot hold: repeated, "__metadata__", or not UTF-8.
FileSums WriteSafetensors(std::vector<StoredTensor> tensors, WritableFile* file,
                          TensorOrder order = TensorOrder::kByName);

}  // namespace singa
