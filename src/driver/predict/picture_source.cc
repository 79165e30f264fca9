#include "driver/predict/picture_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file/input_file.h"
#include "io/format/image_index.h"
#include "io/format/picture_names.h"
#include "io/format/value_parser.h"
#include "io/picture/image_decoder.h"
#include "io/picture/short_side.h"
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
      : files_(std::move(files)), shape_(shape), decoder_(PictureChannels(shape)) {
    if (short_side > 0) short_side_.emplace(short_side, shape);
  }

  const Sample* Next() override {
    if (next_ == files_.size()) return nullptr;
    const std::string& file = files_[next_++];
    try {
      decoder_.Decode(InputFile::Open(file).ReadAll(kMaxPictureBytes)).Show(&sample_);
    } catch (const ValueError& error) {
      throw DataError(file, -1, error.what());
    }
    if (short_side_) sample_ = short_side_->Fit(sample_);
    const std::string misfit = sample_.Misfit(shape_, "the net takes");
    if (!misfit.empty()) throw DataError(file, -1, misfit);
    return &sample_;
  }
  std::string Name() const override { return files_[next_ - 1]; }

 private:
  const std::vector<std::string> files_;
  const std::vector<int64_t> shape_;
  ImageDecoder decoder_;
  std::optional<ShortSide> short_side_;
  size_t next_ = 0;
  Sample sample_;
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
