// These functions read and write BlobProtos, the checkpoint file of SINGA 0.3 (proto/common.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "singa/tensor/shape.h"

namespace singa {

struct Blob {
  std::string name;  // as in the file, such as "0#w1"
  int64_t version = 0;
  bool by_v03 = true;  // SINGA 0.3 wrote the file; it never fills `id`, which WriteBlob fills
  Shape shape;
  std::vector<float> values;
};

enum class BlobValues : uint8_t { kRead, kCount };

// Parses BlobProtos. Throws DataError naming `file` if the bytes are no BlobProtos, or a blob has
// not as many values as its shape says. Needs little more memory than the values. With kCount it
// only counts the values and leaves `values` empty.
std::vector<Blob> ParseBlobProtos(std::span<const std::byte> bytes, const std::string& file,
                                  BlobValues values = BlobValues::kRead);

// Appends one blob. Blobs written one after the other are a BlobProtos.
void WriteBlob(const std::string& name, int64_t version, const Shape& shape,
               std::span<const float> values, WritableFile* file);

}  // namespace singa
