// JpegDecoder: JPEG files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/picture/raster.h"

namespace singa {

bool IsJpeg(std::span<const uint8_t> bytes);

// For one thread.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // The picture in `channels` channels: 3, or 1 for grey. Pictures for print (CMYK) are converted.
  // Throws ValueError: damaged, too large, of a kind that is not read (12 bits, lossless), or its
  // scans have 16 times as many pixels in all as a picture may have.
  void Decode(std::span<const uint8_t> bytes, int channels, Raster* raster);

 private:
  [[noreturn]] void Fail() const;

  void* const handle_;         // turbojpeg's
  std::vector<uint8_t> inks_;  // 4 a pixel, of a file for print
};

}  // namespace singa
