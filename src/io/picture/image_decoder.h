// ImageDecoder: JPEG and PNG files to planar pixels.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace singa {

struct Image {
  std::array<int32_t, 3> shape{};  // channels, height, width
  std::vector<uint8_t> pixels;     // of that shape; of a picture in colour red first
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
  static constexpr int64_t kMaxPixels = int64_t{1} << 26;  // of a file's own width times height

  // channels: 3, or 1 for grey; files of the other kind are converted, as are JPEG files for print
  // (CMYK). Transparency is on black.
  explicit ImageDecoder(int channels);
  ~ImageDecoder();

  // The picture in a file's bytes; valid until the next call. Throws ValueError: neither JPEG nor
  // PNG, damaged, larger than kMaxPixels, or a JPEG whose scans have 16 times as many in all.
  const Image& Decode(std::span<const uint8_t> bytes);

 private:
  void DecodeJpeg(std::span<const uint8_t> bytes);
  void DecodePng(std::span<const uint8_t> bytes);
  // Room for a picture of this size, interleaved.
  uint8_t* Begin(int64_t height, int64_t width);

  const int channels_;
  void* jpeg_;                        // tjhandle
  std::vector<uint8_t> interleaved_;  // [height, width, channels]
  std::vector<uint8_t> inks_;         // [height, width, 4]
  Image image_;
};

}  // namespace singa
