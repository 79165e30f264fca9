// Reads any bytes as safetensors. They are refused with DataError, or are a file that reads the
// same after writing.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/file/crc32c.h"
#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/safetensors_writer.h"
#include "memory_file.h"

namespace singa {
namespace {

void Require(bool fact) {
  if (!fact) std::abort();
}

void Check(std::span<const std::byte> bytes) {
  const Safetensors first(bytes, "fuzz");
  MemoryFile file;
  const FileSums sums = WriteSafetensors(first.tensors(), &file);
  Require(sums.bytes == static_cast<int64_t>(file.text.size()));
  const Safetensors second(std::as_bytes(std::span(file.text)), "again");
  Require(first.tensors().size() == second.tensors().size());
  for (const StoredTensor& tensor : first.tensors()) {
    const StoredTensor* same = second.Find(tensor.name);
    Require(same && same->type == tensor.type && same->shape == tensor.shape);
    Require(Crc32c(same->data, tensor.bytes()) == Crc32c(tensor.data, tensor.bytes()));
    Require(sums.crc32c.at(tensor.name) == Crc32c(tensor.data, tensor.bytes()));
    try {
      const size_t numbers = second.Values<float>(tensor.name, tensor.shape).size();
      Require(numbers == static_cast<size_t>(tensor.shape.size()));
    } catch (const DataError&) {  // not float32, or not aligned
    }
  }
  try {
    (void)second.Values<float>("no such tensor", Shape());
  } catch (const DataError&) {
  }
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    singa::Check(std::as_bytes(std::span(data, size)));
  } catch (const singa::DataError&) {
  }
  return 0;
}
