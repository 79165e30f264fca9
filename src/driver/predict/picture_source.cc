#include "driver/predict/picture_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/file/input_file.h"
#include "driver/predict/picture_reader.h"
#include "io/format/image_index.h"
#include "io/picture/image_decoder.h"
#include "io/picture/picture_names.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

bool HasPictureBytes(const std::string& path) {
  const InputFile file = InputFile::Open(path);
  std::array<uint8_t, kPictureMagicBytes> bytes{};
  const auto size = static_cast<size_t>(std::min<int64_t>(file.size(), bytes.size()));
  file.ReadAt(0, bytes.data(), static_cast<int64_t>(size));
  return IsPicture({bytes.data(), size});
}

class PictureSource final : public RecordSource {
 public:
  PictureSource(std::vector<std::string> files, const std::vector<int64_t>& shape,
                int32_t short_side)
      : files_(std::move(files)), reader_(shape, short_side) {}

  const Sample* Next() override {
    if (next_ == files_.size()) return nullptr;
    const std::string& file = files_[next_++];
    const auto bytes = InputFile::Open(file).ReadAll(kMaxPictureBytes);
    return &reader_.Read(file, bytes);
  }
  std::string Name() const override { return files_[next_ - 1]; }

 private:
  const std::vector<std::string> files_;
  PictureReader reader_;
  size_t next_ = 0;
};

}  // namespace

std::vector<std::string> PicturesAt(const std::string& path, LeftOut* left_out) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (HasPictureName(path) || HasPictureBytes(path)) return {path};
    return {};
  }
  std::vector<std::string> files, others;
  fs::directory_iterator it(path, error), end;
  for (; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool folder = it->is_directory(error);
    if (folder ? IsHiddenFolder(name) : LiesBesideData(name)) continue;
    if (!folder && HasPictureName(name))
      files.push_back(it->path().string());
    else if (folder || HasNameOfAnyPicture(name))
      others.push_back(folder ? name + "/" : name);
  }
  if (error) ThrowInputError(path, "", error.value());
  std::sort(files.begin(), files.end());
  *left_out = FirstOf(std::move(others));
  return files;
}

std::unique_ptr<RecordSource> NewPictureSource(std::vector<std::string> files,
                                               const std::vector<int64_t>& shape,
                                               int32_t short_side) {
  return std::make_unique<PictureSource>(std::move(files), shape, short_side);
}

}  // namespace singa
