#include "io/picture/bmp_decoder.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int64_t kFileHeaderBytes = 14;
// Sizes of the headers that begin alike: BITMAPINFOHEADER and its successors.
constexpr uint32_t kHeaderSizes[] = {40, 52, 56, 64, 108, 124};

uint32_t Number16At(std::span<const uint8_t> bytes, size_t at) {
  return uint32_t{bytes[at]} | uint32_t{bytes[at + 1]} << 8;
}
uint32_t Number32At(std::span<const uint8_t> bytes, size_t at) {
  return Number16At(bytes, at) | Number16At(bytes, at + 2) << 16;
}

struct BmpHeader {
  int64_t height, width, pixels_at;
  int64_t palette_at, colours;  // place of the palette and number of its colours, for 8 bits
  int bits;                     // of a pixel
  bool top_first;               // whether the first row of the file is the top
};

// Throws unless the pixels of 32 bits are blue, green, red and one more byte.
void CheckMasks(std::span<const uint8_t> bytes) {
  constexpr size_t kMasksAt = 54;
  if (bytes.size() < kMasksAt + 12 || Number32At(bytes, kMasksAt) != 0xff0000 ||
      Number32At(bytes, kMasksAt + 4) != 0xff00 || Number32At(bytes, kMasksAt + 8) != 0xff)
    throw ValueError("is a BMP whose colours are not bytes in the order blue, green, red");
}

// REQUIRES: IsBmp(bytes).
BmpHeader ReadBmpHeader(std::span<const uint8_t> bytes) {
  constexpr size_t kLeastBytes = 54;
  constexpr uint32_t kPlain = 0, kMasks = 3;
  if (bytes.size() < kLeastBytes) throw ValueError("damaged BMP: cut off in its header");
  const auto height = static_cast<int32_t>(Number32At(bytes, 22));
  BmpHeader head{};
  head.pixels_at = Number32At(bytes, 10);
  head.palette_at = kFileHeaderBytes + Number32At(bytes, 14);
  head.width = static_cast<int32_t>(Number32At(bytes, 18));
  head.height = std::abs(int64_t{height});
  head.top_first = height < 0;
  head.bits = static_cast<int>(Number16At(bytes, 28));
  const uint32_t compression = Number32At(bytes, 30);
  if (head.bits != 8 && head.bits != 24 && head.bits != 32)
    throw ValueError(StrCat("is a BMP of ", head.bits, " bits a pixel; 8, 24 and 32 are read"));
  if (compression == kMasks && head.bits == 32)
    CheckMasks(bytes);
  else if (compression != kPlain)
    throw ValueError(StrCat("is a compressed BMP (kind ", compression, "), which is not read"));
  const uint32_t colours = Number32At(bytes, 46);
  head.colours = colours == 0 ? 256 : std::min<uint32_t>(colours, 256);
  return head;
}

// Returns the palette: bytes of blue, green, red and one more for each colour.
std::span<const uint8_t> PaletteOf(std::span<const uint8_t> bytes, const BmpHeader& head) {
  constexpr int64_t kColourBytes = 4;
  const int64_t size = kColourBytes * head.colours;
  if (head.palette_at + size > static_cast<int64_t>(bytes.size()))
    throw ValueError("damaged BMP: its palette is not whole");
  return bytes.subspan(head.palette_at, size);
}

uint8_t* PutColour(const uint8_t* blue_first, uint8_t* out) {
  for (int c = 0; c < 3; ++c) *out++ = blue_first[2 - c];
  return out;
}

// Writes a row of pixels that are indexes of colours.
uint8_t* PutIndexed(const uint8_t* row, int64_t width, std::span<const uint8_t> palette,
                    uint8_t* out) {
  for (int64_t x = 0; x < width; ++x) {
    const size_t at = size_t{row[x]} * 4;
    if (at >= palette.size())
      throw ValueError(StrCat("damaged BMP: a pixel is colour ", int{row[x]}, " of a palette of ",
                              palette.size() / 4));
    out = PutColour(&palette[at], out);
  }
  return out;
}

}  // namespace

bool IsBmp(std::span<const uint8_t> bytes) {
  if (bytes.size() < 18 || bytes[0] != 'B' || bytes[1] != 'M') return false;
  const uint32_t size = Number32At(bytes, kFileHeaderBytes);
  return std::find(std::begin(kHeaderSizes), std::end(kHeaderSizes), size) !=
         std::end(kHeaderSizes);
}

void DecodeBmp(std::span<const uint8_t> bytes, Raster* raster) {
  const BmpHeader head = ReadBmpHeader(bytes);
  SetSize(head.height, head.width, raster);
  const int64_t stride = (head.width * head.bits + 31) / 32 * 4;
  CheckBytes("BMP", bytes.size(), head.pixels_at + stride * head.height, head.height, head.width);
  raster->channels = 3;
  raster->orientation = 1;
  raster->words.clear();
  raster->bytes.resize(head.height * head.width * 3);
  const bool indexed = head.bits == 8;
  const auto palette = indexed ? PaletteOf(bytes, head) : std::span<const uint8_t>();
  uint8_t* out = raster->bytes.data();
  for (int64_t y = 0; y < head.height; ++y) {
    const int64_t row = head.top_first ? y : head.height - 1 - y;
    const uint8_t* from = &bytes[head.pixels_at + row * stride];
    if (indexed)
      out = PutIndexed(from, head.width, palette, out);
    else
      for (int64_t x = 0; x < head.width; ++x, from += head.bits / 8) out = PutColour(from, out);
  }
}

}  // namespace singa
