#include "io/picture/jpeg_decoder.h"

#include <turbojpeg.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <string_view>

#include "io/picture/exif.h"
#include "io/picture/grey.h"
#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr uint8_t kJpegMagic[] = {0xff, 0xd8, 0xff};

// Throws if the scans have too many pixels: a small file can have hundreds of scans, and each goes
// through all pixels.
void CheckScans(std::span<const uint8_t> bytes, int64_t pixels) {
  constexpr int64_t kMost = 16 * kMaxPicturePixels;  // pixels of all scans together
  constexpr uint8_t kStartOfScan[] = {0xff, 0xda};
  int64_t scans = 0;
  for (auto at = bytes.begin();; at += 2, ++scans) {
    at = std::search(at, bytes.end(), std::begin(kStartOfScan), std::end(kStartOfScan));
    if (at == bytes.end()) break;
  }
  if (scans * pixels > kMost)
    throw ValueError(StrCat("is a JPEG of ", scans, " scans of ", pixels, " pixels each; at most ",
                            kMost, " are decoded"));
}

// Returns the orientation in the first Exif segment before the picture's data.
int OrientationOf(std::span<const uint8_t> bytes) {
  constexpr uint8_t kStartOfScan = 0xda, kExifSegment = 0xe1;
  constexpr std::string_view kExif("Exif\0\0", 6);
  size_t at = 2;  // start of a segment: 0xff, its kind, two bytes of length that count themselves
  while (at + 4 <= bytes.size() && bytes[at] == 0xff) {
    if (bytes[at + 1] == 0xff) {  // fill bytes
      ++at;
      continue;
    }
    const size_t length = bytes[at + 2] << 8 | bytes[at + 3];
    if (bytes[at + 1] == kStartOfScan || length < 2 || at + 2 + length > bytes.size()) break;
    const std::span<const uint8_t> segment = bytes.subspan(at + 4, length - 2);
    if (bytes[at + 1] == kExifSegment && segment.size() > kExif.size() &&
        std::memcmp(segment.data(), kExif.data(), kExif.size()) == 0)
      return ExifOrientation(segment.subspan(kExif.size()));
    at += 2 + length;
  }
  return 1;
}

// Converts pixels of cyan, magenta, yellow and black to colour or grey, rounded as Pillow does.
// They are inverted (255: no ink), as Adobe's programs write them.
void FromInks(const std::vector<uint8_t>& inks, int channels, uint8_t* out) {
  for (size_t i = 0; i < inks.size(); i += 4) {
    uint8_t colour[3];
    for (int c = 0; c < 3; ++c)
      colour[c] = static_cast<uint8_t>((inks[i + c] * inks[i + 3] + 127) / 255);
    if (channels == 1) {
      *out++ = GreyOf(colour);
    } else {
      out = std::copy(std::begin(colour), std::end(colour), out);
    }
  }
}

}  // namespace

bool IsJpeg(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof kJpegMagic &&
         std::memcmp(bytes.data(), kJpegMagic, sizeof kJpegMagic) == 0;
}

JpegDecoder::JpegDecoder() : handle_(tjInitDecompress()) {
  if (!handle_) throw std::bad_alloc();
}

JpegDecoder::~JpegDecoder() { tjDestroy(handle_); }

void JpegDecoder::Fail() const {
  const std::string_view text = tjGetErrorStr2(handle_);
  if (text.starts_with("Unsupported"))
    throw ValueError(StrCat("is a JPEG of a kind that is not read: ", text,
                            "; 8 bits, baseline or progressive, are"));
  throw ValueError(StrCat("damaged JPEG: ", text));
}

void JpegDecoder::Decode(std::span<const uint8_t> bytes, int channels, Raster* raster) {
  int width = 0, height = 0, subsampling = 0, colours = 0;
  const auto size = static_cast<unsigned long>(bytes.size());  // NOLINT: turbojpeg's type
  if (tjDecompressHeader3(handle_, bytes.data(), size, &width, &height, &subsampling, &colours) !=
      0)
    Fail();
  if (width < 1 || height < 1) throw ValueError("damaged JPEG: it does not say its size");
  constexpr int64_t kMostInByte = 8 * 8 * 8;  // a block of 8 x 8 takes a bit
  const int64_t pixels = int64_t{height} * width;
  CheckBytes("JPEG", bytes.size(), pixels / kMostInByte, height, width);
  CheckScans(bytes, pixels);
  SetSize(height, width, raster);
  raster->channels = channels;
  raster->words.clear();
  raster->bytes.resize(pixels * channels);
  const bool has_inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
  if (has_inks) inks_.resize(pixels * 4);
  if (tjDecompress2(handle_, bytes.data(), size, has_inks ? inks_.data() : raster->bytes.data(),
                    width, 0, height,
                    has_inks        ? TJPF_CMYK
                    : channels == 1 ? TJPF_GRAY
                                    : TJPF_RGB,
                    TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING) != 0)
    Fail();
  if (has_inks) FromInks(inks_, channels, raster->bytes.data());
  raster->orientation = OrientationOf(bytes);
}

}  // namespace singa
