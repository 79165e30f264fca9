#include "driver/facts/data_fingerprint.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/file/crc32c.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

// Returns the checksum of a file's size and first bytes. The bytes that follow are not read, since
// they may be many.
uint32_t OfFile(const std::string& path, int64_t size) {
  constexpr size_t kRead = 1 << 16;  // bytes
  std::string bytes(kRead, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file) return 0;
  file.read(bytes.data(), kRead);
  if (file.bad()) return 0;
  return ExtendCrc32c(Crc32c(&size, sizeof size), bytes.data(), static_cast<size_t>(file.gcount()));
}

// LMDB makes its lock file when somebody reads the database.
bool IsData(const fs::path& path) { return path.filename() != "lock.mdb"; }

uint32_t OfFolder(const std::string& path) {
  constexpr size_t kSizes = 10'000;  // files whose sizes are asked for
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (IsData(at->path())) names.push_back(at->path().lexically_relative(path).string());
  if (error) return 0;
  std::ranges::sort(names);
  uint32_t sum = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    sum = ExtendCrc32c(sum, names[i].c_str(), names[i].size() + 1);
    if (i >= kSizes) continue;
    const auto size = static_cast<int64_t>(fs::file_size(fs::path(path) / names[i], error));
    if (!error) sum = ExtendCrc32c(sum, &size, sizeof size);  // a folder has no size
  }
  return sum;
}

}  // namespace

uint32_t DataFingerprint(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) return 0;
  if (fs::is_directory(status)) return OfFolder(path);
  if (!fs::is_regular_file(status)) return 0;
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  return error ? 0 : OfFile(path, size);
}

}  // namespace singa
