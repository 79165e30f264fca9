#include "io/picture/image_decoder.h"

#include "io/picture/bmp_decoder.h"
#include "io/picture/grey.h"
#include "io/picture/optional_decoders.h"
#include "io/picture/png_decoder.h"
#include "io/value_error.h"

namespace singa {
namespace {

// Maps a turned picture to its raster: row y, column x is pixel first + y down + x right.
struct Turn {
  int64_t height, width;  // size of the turned picture
  int64_t first, down, right;
};

// Exif 2.3, tag 0x112, says where row 0 and column 0 of the raster are in the picture.
Turn TurnOf(const Raster& raster) {
  const int64_t h = raster.height, w = raster.width, last = h * w - 1;
  switch (raster.orientation) {
    case 2:
      return {h, w, w - 1, w, -1};
    case 3:
      return {h, w, last, -w, -1};
    case 4:
      return {h, w, last - w + 1, -w, 1};
    case 5:
      return {w, h, 0, 1, w};
    case 6:
      return {w, h, last - w + 1, 1, -w};
    case 7:
      return {w, h, last, -1, -w};
    case 8:
      return {w, h, w - 1, -1, w};
    default:
      return {h, w, 0, w, 1};
  }
}

uint8_t NumberOf(uint8_t sample) { return sample; }
float NumberOf(uint16_t sample) { return static_cast<float>(sample) / 257; }
uint8_t GreyNumber(const uint8_t* rgb) { return GreyOf(rgb); }
float GreyNumber(const uint16_t* rgb) { return GreyOf(rgb) / 257; }

// out: [channels, turn.height, turn.width].
template <typename T, typename Number>
void Spread(const T* samples, const Raster& raster, const Turn& turn, int channels, Number* out) {
  const bool to_grey = channels < raster.channels;
  const int64_t step = turn.right * raster.channels;
  for (int c = 0; c < channels; ++c)
    for (int64_t y = 0; y < turn.height; ++y) {
      const T* from = samples + (turn.first + y * turn.down) * raster.channels;
      if (raster.channels == channels) from += c;
      if (to_grey)
        for (int64_t x = 0; x < turn.width; ++x) *out++ = GreyNumber(from + x * step);
      else
        for (int64_t x = 0; x < turn.width; ++x) *out++ = NumberOf(from[x * step]);
    }
}

}  // namespace

bool IsPicture(std::span<const uint8_t> bytes) {
  return IsJpeg(bytes) || IsPng(bytes) || IsWebp(bytes) || IsBmp(bytes) || IsTiff(bytes);
}

const Image& ImageDecoder::Decode(std::span<const uint8_t> bytes) {
  if (IsJpeg(bytes))
    jpeg_.Decode(bytes, channels_, &raster_);
  else if (IsPng(bytes))
    DecodePng(bytes, &raster_);
  else if (IsWebp(bytes))
    DecodeWebp(bytes, &raster_);
  else if (IsBmp(bytes))
    DecodeBmp(bytes, &raster_);
  else if (IsTiff(bytes))
    DecodeTiff(bytes, &raster_);
  else
    throw ValueError("is no JPEG, PNG, WebP, BMP or TIFF file");
  const Turn turn = TurnOf(raster_);
  const int64_t numbers = channels_ * turn.height * turn.width;
  const bool wide = !raster_.words.empty();
  image_.shape = {channels_, static_cast<int32_t>(turn.height), static_cast<int32_t>(turn.width)};
  image_.pixels.resize(wide ? 0 : numbers);
  image_.numbers.resize(wide ? numbers : 0);
  if (wide)
    Spread(raster_.words.data(), raster_, turn, channels_, image_.numbers.data());
  else
    Spread(raster_.bytes.data(), raster_, turn, channels_, image_.pixels.data());
  return image_;
}

}  // namespace singa
