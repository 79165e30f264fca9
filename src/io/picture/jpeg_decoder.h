// JpegDecoder decodes JPEG files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/picture/raster.h"

namespace singa {

bool IsJpeg(std::span<const uint8_t> bytes);

// One thread at a time may use it.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Decodes a picture to `channels`: 3, or 1 for grey. Pictures for print (CMYK) are converted.
  // Throws ValueError if the picture is damaged, too large or of an unsupported kind (12 bits,
  // lossless). Also throws it if the scans together have more than 16 times the pixels that a
  // picture may have.
  void Decode(std::span<const uint8_t> bytes, int channels, Raster* raster);

 private:
  [[noreturn]] void Fail() const;

  void* const handle_;         // handle of turbojpeg
  std::vector<uint8_t> inks_;  // 4 per pixel, for a CMYK file
};

}  // namespace singa
