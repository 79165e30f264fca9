// Raster is a picture as a codec gives it: rows of pixels whose samples are side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace singa {

inline constexpr int64_t kMaxPicturePixels = int64_t{1} << 26;  // width times height

struct Raster {
  int64_t height = 0, width = 0;
  int channels = 3;             // 3: red, green, blue; 1: grey
  std::vector<uint8_t> bytes;   // samples of 8 bits
  std::vector<uint16_t> words;  // samples of 16 bits; then there are no bytes
  int orientation = 1;          // Exif's: how to turn the picture, 1 to 8
};

// Sets height and width. Throws ValueError for 0, or more than kMaxPicturePixels.
void SetSize(int64_t height, int64_t width, Raster* raster);

// Throws ValueError if `bytes`, the file's size, is below `least`, which a picture of this size
// needs.
void CheckBytes(const char* kind, size_t bytes, int64_t least, int64_t height, int64_t width);

}  // namespace singa
