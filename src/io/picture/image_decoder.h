// ImageDecoder: JPEG and PNG files to planar numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "io/picture/jpeg_decoder.h"
#include "io/picture/raster.h"
#include "io/store/store.h"

namespace singa {

struct Image {
  std::array<int32_t, 3> shape{};  // channels, height, width
  std::vector<uint8_t> pixels;     // of that shape; of a picture in colour red first
  // Replaces `pixels` for a file with 16 bits a sample: samples / 257, so that white is 255 as with
  // 8 bits.
  std::vector<float> numbers;

  // The record of this picture, without a label.
  void Show(Sample* sample) const {
    sample->data = numbers;
    sample->pixel = pixels;
    sample->shape = shape;
    sample->decoded = true;
  }
};

// Whether a file that begins with these bytes is a JPEG or PNG, damaged or not.
bool IsPicture(std::span<const uint8_t> bytes);
// In which a picture becomes a record of this shape: 3, or 1 for grey.
template <typename Size>
int PictureChannels(const std::vector<Size>& shape) {
  return shape.size() < 3 || shape[0] == 1 ? 1 : 3;
}

// For one thread.
class ImageDecoder {
 public:
  static constexpr int64_t kMaxPixels = kMaxPicturePixels;  // of a file's own width times height

  // channels: 3, or 1 for grey; files of the other kind are converted. The rest is as in OpenCV's
  // imread: samples as stored whatever their gamma or profile, transparency left out, and the
  // picture turned as its Exif says.
  explicit ImageDecoder(int channels) : channels_(channels) {}

  // The picture in a file's bytes; valid until the next call. Throws ValueError: neither JPEG nor
  // PNG, damaged, larger than kMaxPixels, or as JpegDecoder.
  const Image& Decode(std::span<const uint8_t> bytes);

 private:
  const int channels_;
  JpegDecoder jpeg_;
  Raster raster_;
  Image image_;
};

}  // namespace singa
