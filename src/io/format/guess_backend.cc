#include "io/format/guess_backend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "base/file/input_file.h"
#include "io/file/gzip.h"
#include "io/format/cifar10_store.h"
#include "io/format/image_list.h"
#include "io/format/kvfile_store.h"
#include "io/format/lmdb_index.h"
#include "io/picture/picture_names.h"
#include "io/table/line_index.h"
#include "singa/base/error.h"

namespace singa {

namespace {

constexpr const char kNoStore[] =
    "is a picture by its name, not a store of records; pictures are read from ";

bool IsTar(const InputFile& file) {
  constexpr int64_t kAt = 257;
  char magic[5];
  if (file.size() < 512) return false;
  file.ReadAt(kAt, magic, sizeof magic);
  return std::memcmp(magic, "ustar", sizeof magic) == 0;
}

// Returns the first MNIST file of pictures in a folder, by name; "": there is none.
std::string IdxFileIn(const std::string& folder) {
  std::string first;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.find("images-idx3") != name.npos && (first.empty() || name < first)) first = name;
  }
  return first;
}

std::string GuessOfFolder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(path + "/shard.dat", error)) return "kvfile";
  if (fs::exists(path + "/data.mdb", error)) return "lmdb";
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with("data_batch")) return "cifar10";
  if (const std::string idx = IdxFileIn(path); !idx.empty())
    throw DataError(path, -1,
                    StrCat("is a folder with files of idx; name one of them: ",
                           (std::filesystem::path(path) / idx).string()));
  return "imagefolder";
}

uint32_t BigEndian32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

// Returns whether the file has MNIST's magic number and as many bytes as its sizes say.
bool IsWholeIdx(const InputFile& file) {
  constexpr int64_t kMostSizes = 4;
  std::array<uint8_t, 4 + 4 * kMostSizes> bytes{};
  file.ReadAt(0, bytes.data(), std::min<int64_t>(file.size(), bytes.size()));
  const int64_t sizes = bytes[3];
  if (bytes[0] != 0 || bytes[1] != 0 || bytes[2] != 8 || sizes < 1 || sizes > kMostSizes)
    return false;
  int64_t numbers = 1;
  for (int64_t i = 0; i < sizes; ++i)
    if (__builtin_mul_overflow(numbers, BigEndian32(&bytes[4 + 4 * i]), &numbers)) return false;
  return file.size() - 4 - 4 * sizes == numbers;
}

// Returns whether the file begins with a length, a key, a length and a value that end in the file.
bool StartsWithTuple(const InputFile& file) {
  uint64_t key, value;
  const auto size = static_cast<uint64_t>(file.size());
  if (size < 2 * sizeof key) return false;
  file.ReadAt(0, &key, sizeof key);
  if (key > kMaxKeyBytes || key > size - 2 * sizeof key) return false;
  file.ReadAt(static_cast<int64_t>(sizeof key + key), &value, sizeof value);
  return value > 0 && value <= size - 2 * sizeof key - key;
}

// Judges by the labels at their places, as batches of CIFAR-10 have no magic number.
bool IsCifar10(const InputFile& file) {
  constexpr int64_t kLooksAt = 100;  // records
  if (file.size() == 0 || file.size() % kCifar10Record != 0) return false;
  for (int64_t i = 0; i < std::min(kLooksAt, file.size() / kCifar10Record); ++i) {
    uint8_t label;
    file.ReadAt(i * kCifar10Record, &label, 1);
    if (label >= kCifar10Classes) return false;
  }
  return true;
}

// Judges by the first line that is not blank.
bool IsImageList(const InputFile& file) {
  constexpr int64_t kLooksAt = 8192;  // bytes
  std::string text(std::min(kLooksAt, file.size()), '\0');
  file.ReadAt(0, text.data(), std::ssize(text));
  text.erase(0, static_cast<size_t>(ByteOrderMark(text)));
  text.erase(0, text.find_first_not_of(" \t\r\n"));
  const size_t end = text.find('\n');
  if (end == text.npos && file.size() > kLooksAt) return false;
  return IsListedPicture(std::string_view(text).substr(0, end));
}

}  // namespace

std::string GuessBackend(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return GuessOfFolder(path);
  const InputFile file = OpenKvFile(path);
  if (IsGzip(file)) return "idx";
  if (IsLmdb(file)) return "lmdb";
  if (IsTar(file)) return "imagefolder";
  if (IsWholeIdx(file)) return "idx";
  if (StartsWithTuple(file)) return "kvfile";
  if (HasNameOfAnyPicture(path))
    throw DataError(path, -1, StrCat(kNoStore, kPictureEndings, " files"));
  if (IsImageList(file)) return "imagelist";
  // If a damaged file remains, the first bytes decide.
  std::array<uint8_t, 8> bytes{};
  file.ReadAt(0, bytes.data(), std::min<int64_t>(file.size(), bytes.size()));
  if (IsCifar10(file)) return "cifar10";
  if (bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= 8 && bytes[2] <= 14) return "idx";
  uint64_t key;
  std::memcpy(&key, bytes.data(), sizeof(key));
  if (file.size() >= 8 && key <= kMaxKeyBytes) return "kvfile";
  return "textfile";
}

std::string GuessText(const std::string& backend, const std::string& remedies) {
  return StrCat("; read as ", backend,
                ", as its content seems to be: -from FORMAT names another format",
                remedies.empty() ? "" : "; ", remedies);
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
