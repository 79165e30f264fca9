// ImageDecoder turns picture files (JPEG, PNG, WebP, BMP, TIFF) into planar numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "io/picture/jpeg_decoder.h"
#include "io/picture/raster.h"
#include "io/sample.h"

namespace singa {

struct Image {
  std::array<int32_t, 3> shape{};  // channels, height, width
  std::vector<uint8_t> pixels;     // of that shape; colours are red first
  // Used instead of `pixels` for a file with 16 bits per sample: samples / 257, so that white is
  // 255 as with 8 bits.
  std::vector<float> numbers;

  // Sets `sample` to this picture, without a label.
  void Show(Sample* sample) const {
    sample->data = numbers;
    sample->pixel = pixels;
    sample->shape = shape;
    sample->decoded = true;
  }
};

// IsPicture needs at most so many bytes of a file's beginning.
inline constexpr int64_t kPictureMagicBytes = 18;
// Returns whether a file that begins with these bytes is a picture, damaged or not.
bool IsPicture(std::span<const uint8_t> bytes);
// Returns the channels of a picture for a record of this shape: 3, or 1 for grey.
template <typename Size>
int PictureChannels(const std::vector<Size>& shape) {
  return shape.size() < 3 || shape[0] == 1 ? 1 : 3;
}

// Decodes pictures. One thread at a time may use it.
class ImageDecoder {
 public:
  static constexpr int64_t kMaxPixels = kMaxPicturePixels;  // limit of a file's width times height

  // channels: 3, or 1 for grey; files of the other kind are converted. As in OpenCV's imread,
  // samples are used as stored, without gamma, profile or transparency, and the picture is turned
  // by its Exif.
  explicit ImageDecoder(int channels) : channels_(channels) {}

  // Decodes a file's bytes; the image is valid until the next call. Throws ValueError if it is
  // of none of the formats, damaged or larger than kMaxPixels, and the errors of the decoders.
  const Image& Decode(std::span<const uint8_t> bytes);

 private:
  const int channels_;
  JpegDecoder jpeg_;
  Raster raster_;
  Image image_;
};

}  // namespace singa
