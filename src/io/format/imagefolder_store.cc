// Backend "imagefolder" reads a folder of class folders of picture files, or a tar of one. A record
// is a planar picture; its label is the index of its class, sorted by name.
#include <filesystem>
#include <optional>

#include "base/file/input_file.h"
#include "io/format/image_index.h"
#include "io/picture/image_decoder.h"
#include "io/store/store.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ImageFolderStore final : public Store {
 public:
  explicit ImageFolderStore(const StoreOptions& options)
      : path_(options.path), raw_(options.raw_files), decoder_(options.channels) {
    std::error_code error;
    if (std::filesystem::is_directory(path_, error)) {
      index_ = IndexImageFolder(path_);
    } else {
      index_ = IndexImageTar(path_);
      tar_.emplace(InputFile::Open(path_));
    }
  }

  int64_t size() const override { return static_cast<int64_t>(index_.places.size()); }
  const std::string& name() const override { return path_; }
  std::vector<std::string> classes() const override { return index_.classes; }
  LeftOut left_out() const override { return index_.left_out; }
  std::string Where(int64_t index) const override {
    return StrCat(path_, "/", index_.places[index].name);
  }
  std::string NameOf(int64_t index) const override { return Where(index); }

  const Sample& Read(int64_t index) override {
    const ImagePlace& place = index_.places[index];
    ReadFile(place);
    sample_ = {.pixel = bytes_, .label = place.label};
    if (raw_) return sample_;
    try {
      decoder_.Decode(bytes_).Show(&sample_);
    } catch (const ValueError& error) {
      throw DataError(Where(index), -1, error.what());
    }
    return sample_;
  }

 private:
  void ReadFile(const ImagePlace& place) {
    if (!tar_) {
      bytes_ = InputFile::Open(path_ + "/" + place.name).ReadAll(kMaxPictureBytes);
      return;
    }
    bytes_.resize(place.size);
    tar_->ReadAt(place.offset, bytes_.data(), place.size);
  }

  const std::string path_;
  const bool raw_;
  ImageIndex index_;
  std::optional<InputFile> tar_;
  ImageDecoder decoder_;
  std::vector<uint8_t> bytes_;
  Sample sample_;
};

std::unique_ptr<Store> OpenImageFolder(const StoreOptions& options) {
  return std::make_unique<ImageFolderStore>(options);
}

std::optional<bool> IsQuickFolder(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kQuickFiles = 20000;
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::nullopt;  // a tar
  int files = 0;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error))
    if (++files > kQuickFiles) return false;
  return true;
}

SINGA_REGISTER_STORE(imagefolder, OpenImageFolder, .picture_files = true, .class_folders = true,
                     .encoded = Encoded::kIgnored,
                     .known_as = "image images folder picture pictures jpg jpeg png imagenet",
                     .is_quick = IsQuickFolder);

}  // namespace
}  // namespace singa
