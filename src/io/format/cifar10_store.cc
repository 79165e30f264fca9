// Backend "cifar10" reads CIFAR-10's binary batches. A record is a label and 3 x 32 x 32 planar
// bytes. The path is one file, or a folder whose data_batch*.bin are read in the order of their
// names.
#include "io/format/cifar10_store.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "base/file/input_file.h"
#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr std::array<int32_t, 3> kShape = {3, 32, 32};

std::vector<std::string> BatchFiles(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("data_batch") && name.ends_with(".bin")) files.push_back(it->path());
  }
  if (error) ThrowInputError(path, "", error.value());
  if (files.empty())
    throw FileError(kExitNoInput, path, "holds no data_batch*.bin; name a file for others");
  std::sort(files.begin(), files.end());
  return files;
}

class Cifar10Store final : public Store {
 public:
  explicit Cifar10Store(const std::string& path) : path_(path), bytes_(kCifar10Record) {
    for (const std::string& name : BatchFiles(path)) {
      InputFile file = InputFile::Open(name);
      if (file.size() == 0 || file.size() % kCifar10Record != 0)
        throw DataError(name, -1,
                        StrCat("has ", file.size(), " bytes, no whole number of records", " of ",
                               kCifar10Record));
      size_ += file.size() / kCifar10Record;
      files_.push_back(std::move(file));
    }
    sample_.pixel = std::span<const uint8_t>(bytes_).subspan(1);
    sample_.shape = kShape;
  }

  int64_t size() const override { return size_; }
  const std::string& name() const override { return path_; }
  std::string Where(int64_t index) const override {
    const InputFile& file = FileOf(&index);
    return StrCat(file.name(), ": record ", index);
  }

  LabelRange Labels() override {
    constexpr int64_t kMost = 1'000'000;
    LabelRange range;
    for (int64_t i = 0; size_ <= kMost && i < size_; ++i) {
      int64_t in_file = i;
      const InputFile& file = FileOf(&in_file);
      uint8_t label = 0;
      file.ReadAt(in_file * kCifar10Record, &label, 1);
      if (label < kCifar10Classes) range.Add(label, i);  // else the record is bad
    }
    return range;
  }

  const Sample& Read(int64_t index) override {
    int64_t in_file = index;
    FileOf(&in_file).ReadAt(in_file * kCifar10Record, bytes_.data(), kCifar10Record);
    sample_.label = bytes_[0];
    if (sample_.label >= kCifar10Classes)
      throw DataError(
          Where(index), -1,
          StrCat("the label must be from 0 to ", kCifar10Classes - 1, ", is ", sample_.label));
    return sample_;
  }

 private:
  // Returns the file of record *index, and sets *index to its number in that file.
  const InputFile& FileOf(int64_t* index) const {
    size_t i = 0;
    for (; *index >= files_[i].size() / kCifar10Record; ++i)
      *index -= files_[i].size() / kCifar10Record;
    return files_[i];
  }

  const std::string path_;
  std::vector<InputFile> files_;
  int64_t size_ = 0;
  std::vector<uint8_t> bytes_;
  Sample sample_;
};

std::unique_ptr<Store> OpenCifar10Store(const StoreOptions& options) {
  return std::make_unique<Cifar10Store>(options.path);
}

std::optional<bool> IsQuickCifar10(const std::string&) { return true; }  // it needs no index

SINGA_REGISTER_STORE(cifar10, OpenCifar10Store, .encoded = Encoded::kRefused, .known_as = "cifar",
                     .is_quick = IsQuickCifar10);

}  // namespace
}  // namespace singa
