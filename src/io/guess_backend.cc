#include "io/guess_backend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "base/input_file.h"
#include "io/gzip.h"
#include "io/kvfile_store.h"

namespace singa {

std::string GuessBackend(const std::string& path) {
  const InputFile file = OpenKvFile(path);
  if (IsGzip(file)) return "idx";
  std::array<uint8_t, 8> bytes{};
  file.ReadAt(0, bytes.data(), std::min<int64_t>(file.size(), bytes.size()));
  if (bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= 8 && bytes[2] <= 14) return "idx";
  uint64_t key;
  std::memcpy(&key, bytes.data(), sizeof(key));
  return file.size() >= 8 && key <= kMaxKeyBytes ? "kvfile" : "textfile";
}

std::string GuessLabelPath(const std::string& images) {
  const std::string from = "images-idx3", to = "labels-idx1";
  std::string labels = images;
  const size_t at = labels.rfind(from);
  if (at == labels.npos) return "";
  labels.replace(at, from.size(), to);
  std::error_code ignored;
  return std::filesystem::exists(labels, ignored) ? labels : "";
}

}  // namespace singa
