#include "io/checkpoint/safetensors_writer.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/file/crc32c.h"
#include "base/file/sha256.h"
#include "io/checkpoint/json_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using nlohmann::json;

constexpr size_t kAlignment = 8;  // alignment of the data's first byte, as in the original library
constexpr int64_t kPieceBytes = 256 << 10;  // a piece is read three times and stays in the cache

std::string Header(const std::vector<StoredTensor>& tensors) {
  json header = json::object();
  int64_t end = 0;
  for (const StoredTensor& tensor : tensors) {
    json shape = json::array();
    for (int i = 0; i < tensor.shape.dims(); ++i) shape.push_back(tensor.shape[i]);
    if (tensor.name == "__metadata__" || header.contains(tensor.name))
      throw ConfigError("", StrCat("a checkpoint cannot hold the name ", Quote(tensor.name),
                                   tensor.name == "__metadata__" ? "" : " twice"));
    const int64_t begin = end;
    end += tensor.bytes();
    header[tensor.name] = {
        {"dtype", NameOf(tensor.type)}, {"shape", shape}, {"data_offsets", {begin, end}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::type_error&) {
    throw ConfigError("", "a name in a checkpoint is not UTF-8");
  }
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const uint64_t size = text.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + text;
}

}  // namespace

FileSums WriteSafetensors(std::vector<StoredTensor> tensors, WritableFile* file,
                          TensorOrder order) {
  const bool by_name = order == TensorOrder::kByName;
  std::stable_sort(tensors.begin(), tensors.end(),
                   [by_name](const StoredTensor& a, const StoredTensor& b) {
                     if (SizeOf(a.type) != SizeOf(b.type)) return SizeOf(a.type) > SizeOf(b.type);
                     return by_name && a.name < b.name;
                   });
  const std::string header = Header(tensors);
  Sha256 sha;
  sha.Update(header.data(), header.size());
  file->Write(header.data(), header.size());
  FileSums sums;
  sums.bytes = static_cast<int64_t>(header.size());
  for (const StoredTensor& tensor : tensors) {
    uint32_t crc = 0;
    const char* data = static_cast<const char*>(tensor.data);
    for (int64_t done = 0; done < tensor.bytes(); done += kPieceBytes) {
      const auto piece = static_cast<size_t>(std::min(kPieceBytes, tensor.bytes() - done));
      crc = ExtendCrc32c(crc, data + done, piece);
      sha.Update(data + done, piece);
      file->Write(data + done, piece);
    }
    sums.crc32c[tensor.name] = crc;
    sums.bytes += tensor.bytes();
  }
  sums.sha256 = sha.Hex();
  return sums;
}

}  // namespace singa
