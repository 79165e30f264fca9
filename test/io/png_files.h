// These functions make PNG files chunk by chunk.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "io/store_files.h"

namespace singa {

using PngBytes = std::vector<uint8_t>;

enum Colours : uint8_t { kGrey = 0, kColour = 2, kPalette = 3, kGreyAlpha = 4, kColourAlpha = 6 };

inline std::string PngText(const PngBytes& bytes) { return {bytes.begin(), bytes.end()}; }

inline std::string Chunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return BigEndian(data.size()) + body + BigEndian(static_cast<uint32_t>(crc));
}

struct PngFile {
  uint32_t width = 1, height = 1;
  uint8_t bits = 8;
  Colours colours = kGrey;
  PngBytes rows = {};                   // each with its filter's byte, 0, in front
  std::string before = {}, after = {};  // chunks around the pixels
  bool interlaced = false;
};

inline std::string PngOf(const PngFile& file) {
  uLongf size = compressBound(file.rows.size());
  std::string pixels(size, '\0');
  EXPECT_EQ(
      compress(reinterpret_cast<Bytef*>(pixels.data()), &size, file.rows.data(), file.rows.size()),
      Z_OK);
  pixels.resize(size);
  return "\x89PNG\r\n\x1a\n" +
         Chunk("IHDR", BigEndian(file.width) + BigEndian(file.height) +
                           PngText({file.bits, file.colours, 0, 0, file.interlaced})) +
         file.before + Chunk("IDAT", pixels) + file.after + Chunk("IEND", "");
}

// Returns a TIFF of one directory with one entry: tag 0x112, a 16-bit number.
inline std::string Exif(uint8_t orientation) {
  return PngText({'M', 'M', 0, 42, 0, 0, 0,           8, 0, 1, 1, 0x12, 0,
                  3,   0,   0, 0,  1, 0, orientation, 0, 0, 0, 0, 0,    0});
}

}  // namespace singa
