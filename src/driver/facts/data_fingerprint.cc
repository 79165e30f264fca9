#include "driver/facts/data_fingerprint.h"

#include <filesystem>
#include <fstream>
#include <system_error>

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

// Calls visit(path, name below `folder`) for each file and folder below it. Returns whether all
// could be read.
template <typename Visit>
bool ForEach(const fs::path& folder, const Visit& visit) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (IsData(at->path())) visit(at->path(), at->path().lexically_relative(folder).string());
  return !error;
}

// Adds checksums up, so that the order in which a file system lists names does not matter.
uint32_t OfFolder(const fs::path& folder) {
  constexpr int64_t kSizes = 10'000;  // more files are not asked for their sizes
  uint32_t sum = 1;
  int64_t found = 0;
  const auto add_name = [&](const fs::path&, const std::string& name) {
    sum += Crc32c(name.data(), name.size());
    ++found;
  };
  const auto add_size = [&](const fs::path& path, const std::string& name) {
    std::error_code error;
    const auto size = static_cast<int64_t>(fs::file_size(path, error));
    if (!error)  // a folder has no size
      sum += ExtendCrc32c(Crc32c(name.data(), name.size()), &size, sizeof size);
  };
  if (!ForEach(folder, add_name)) return 0;
  if (found <= kSizes) ForEach(folder, add_size);
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
