// Decodes WebP files by libwebp.
#include <webp/decode.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "io/picture/exif.h"
#include "io/picture/optional_decoders.h"
#include "io/value_error.h"
#include "math/library/libraries.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

bool StartsWith(std::span<const uint8_t> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin());
}

// Returns the orientation in the chunk of Exif, 1 to 8; 1 if there is none.
int ExifTurn(std::span<const uint8_t> bytes) {
  constexpr size_t kFileHeader = 12, kChunkHeader = 8;
  constexpr std::string_view kMark("Exif\0\0", 6);  // some programs write it before the block
  size_t at = kFileHeader;
  while (at + kChunkHeader <= bytes.size()) {
    const uint32_t size = uint32_t{bytes[at + 4]} | uint32_t{bytes[at + 5]} << 8 |
                          uint32_t{bytes[at + 6]} << 16 | uint32_t{bytes[at + 7]} << 24;
    const size_t rest = bytes.size() - at - kChunkHeader;
    if (size > rest) break;
    std::span<const uint8_t> block = bytes.subspan(at + kChunkHeader, size);
    if (StartsWith(bytes.subspan(at), "EXIF")) {
      if (StartsWith(block, kMark)) block = block.subspan(kMark.size());
      return ExifOrientation(block);
    }
    at += kChunkHeader + size + size % 2;
  }
  return 1;
}

void Decode(std::span<const uint8_t> bytes, Raster* raster) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK)
    throw ValueError("damaged WebP: no whole header");
  if (features.has_animation) throw ValueError("is an animated WebP; only still pictures are read");
  SetSize(features.height, features.width, raster);
  raster->channels = 3;
  raster->words.clear();
  raster->bytes.resize(raster->height * raster->width * 3);
  // Transparency is left out, so samples are as stored.
  if (!WebPDecodeRGBInto(bytes.data(), bytes.size(), raster->bytes.data(), raster->bytes.size(),
                         static_cast<int>(raster->width * 3)))
    throw ValueError("damaged WebP: its pixels cannot be decoded");
  raster->orientation = ExifTurn(bytes);
}

bool Register() {
  const int version = WebPGetDecoderVersion();  // a byte for each part
  return AddLibrary(
             StrCat("libwebp ", version >> 16, ".", (version >> 8) % 256, ".", version % 256)) &&
         DecodeWebp.Set(Decode);
}
[[maybe_unused]] const bool registered = Register();

}  // namespace
}  // namespace singa
