#include "driver/predict/picture_source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <utility>

#include "base/input_file.h"
#include "io/image_decoder.h"
#include "io/image_index.h"
#include "io/value_parser.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

bool HasPictureName(const fs::path& path) {
  std::string end = path.extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return end == ".jpg" || end == ".jpeg" || end == ".png";
}

bool HasPictureBytes(const std::string& path) {
  const InputFile file = InputFile::Open(path);
  std::array<char, 8> bytes{};
  file.ReadAt(0, bytes.data(), std::min<int64_t>(file.size(), bytes.size()));
  return std::memcmp(bytes.data(), "\xff\xd8\xff", 3) == 0 ||
         std::memcmp(bytes.data(), "\x89PNG\r\n\x1a\n", 8) == 0;
}

class PictureSource final : public RecordSource {
 public:
  PictureSource(std::vector<std::string> files, const std::vector<int64_t>& shape)
      : files_(std::move(files)), shape_(shape), decoder_(PictureChannels(shape)) {}

  const Sample* Next() override {
    if (next_ == files_.size()) return nullptr;
    const std::string& file = files_[next_++];
    try {
      const Image& image = decoder_.Decode(InputFile::Open(file).ReadAll(kMaxPictureBytes));
      sample_.pixel = image.pixels;
      sample_.shape = image.shape;
    } catch (const ValueError& error) {
      throw DataError(file, -1, error.what());
    }
    CheckPicture(file, sample_, shape_);
    return &sample_;
  }
  std::string Name() const override { return files_[next_ - 1]; }

 private:
  const std::vector<std::string> files_;
  const std::vector<int64_t> shape_;
  ImageDecoder decoder_;
  size_t next_ = 0;
  Sample sample_;
};

}  // namespace

std::vector<std::string> PicturesAt(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (HasPictureName(path) || HasPictureBytes(path)) return {path};
    return {};
  }
  std::vector<std::string> files;
  fs::directory_iterator it(path, error), end;
  for (; !error && it != end; it.increment(error))
    if (HasPictureName(it->path()) && !it->is_directory(error))
      files.push_back(it->path().string());
  if (error) ThrowInputError(path, "", error.value());
  std::sort(files.begin(), files.end());
  return files;
}

std::unique_ptr<RecordSource> NewPictureSource(std::vector<std::string> files,
                                               const std::vector<int64_t>& shape) {
  return std::make_unique<PictureSource>(std::move(files), shape);
}

int PictureChannels(const std::vector<int64_t>& shape) {
  return shape.size() < 3 || shape[0] == 1 ? 1 : 3;
}

void CheckPicture(const std::string& name, const Sample& picture,
                  const std::vector<int64_t>& shape) {
  const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  const size_t dims = shape.size();
  const bool sides_known = dims >= 2 && picture.shape.size() == 3;
  const bool sides_fit =
      !sides_known || (picture.shape[1] == shape[dims - 2] && picture.shape[2] == shape[dims - 1]);
  if (picture.size() == size && sides_fit) return;
  const std::string is =
      picture.shape.size() == 3
          ? StrCat("is a picture of ", picture.shape[2], " x ", picture.shape[1], " pixels")
          : StrCat("is a picture of ", picture.size(), " numbers");
  throw DataError(name, -1,
                  dims >= 2 ? StrCat(is, ", the net takes ", shape[dims - 1], " x ",
                                     shape[dims - 2], dims > 2 && shape[0] != 1 ? " in colour" : "")
                            : StrCat(is, ", the net takes ", size, " numbers"));
}

}  // namespace singa
