#include "io/picture/image_decoder.h"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "io/format/value_parser.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr uint8_t kJpegMagic[] = {0xff, 0xd8, 0xff};
constexpr uint8_t kPngMagic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

template <size_t n>
bool BeginsWith(std::span<const uint8_t> bytes, const uint8_t (&magic)[n]) {
  return bytes.size() >= n && std::memcmp(bytes.data(), magic, n) == 0;
}

// A small file can hold hundreds of scans, each of which goes through all pixels again.
void CheckScans(std::span<const uint8_t> bytes, int64_t pixels) {
  constexpr int64_t kMost = 16 * ImageDecoder::kMaxPixels;  // of all scans together
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

// Before there is memory for it: a picture needs at least so many bytes of its file.
void CheckBytes(const char* kind, size_t bytes, int64_t least, int64_t height, int64_t width) {
  if (static_cast<int64_t>(bytes) < least)
    throw ValueError(StrCat("damaged ", kind, ": ", width, " x ", height, " pixels cannot be in ",
                            bytes, " bytes"));
}

// Pixels of cyan, magenta, yellow and black, as Adobe's programs write them, inverted (255: no
// ink), to colour or grey. Weights: ITU-R BT.601.
void FromInks(const std::vector<uint8_t>& inks, int channels, uint8_t* out) {
  for (size_t i = 0; i < inks.size(); i += 4) {
    const int black = inks[i + 3];
    const int red = inks[i] * black / 255, green = inks[i + 1] * black / 255,
              blue = inks[i + 2] * black / 255;
    if (channels == 1) {
      *out++ = static_cast<uint8_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
      continue;
    }
    *out++ = static_cast<uint8_t>(red);
    *out++ = static_cast<uint8_t>(green);
    *out++ = static_cast<uint8_t>(blue);
  }
}

}  // namespace

bool IsPicture(std::span<const uint8_t> bytes) {
  return BeginsWith(bytes, kJpegMagic) || BeginsWith(bytes, kPngMagic);
}

ImageDecoder::ImageDecoder(int channels) : channels_(channels), jpeg_(tjInitDecompress()) {
  if (!jpeg_) throw std::bad_alloc();
}

ImageDecoder::~ImageDecoder() { tjDestroy(jpeg_); }

const Image& ImageDecoder::Decode(std::span<const uint8_t> bytes) {
  if (BeginsWith(bytes, kJpegMagic))
    DecodeJpeg(bytes);
  else if (BeginsWith(bytes, kPngMagic))
    DecodePng(bytes);
  else
    throw ValueError("is neither a JPEG nor a PNG file");
  const int64_t plane = int64_t{image_.shape[1]} * image_.shape[2];
  image_.pixels.resize(interleaved_.size());
  for (int64_t c = 0; c < channels_; ++c)
    for (int64_t i = 0; i < plane; ++i)
      image_.pixels[c * plane + i] = interleaved_[i * channels_ + c];
  return image_;
}

uint8_t* ImageDecoder::Begin(int64_t height, int64_t width) {
  if (height < 1 || width < 1 || height * width > kMaxPixels)
    throw ValueError(
        StrCat("is a picture of ", width, " x ", height, "; at most ", kMaxPixels, " pixels"));
  image_.shape = {channels_, static_cast<int32_t>(height), static_cast<int32_t>(width)};
  interleaved_.resize(height * width * channels_);
  return interleaved_.data();
}

void ImageDecoder::DecodeJpeg(std::span<const uint8_t> bytes) {
  const auto fail = [this] { throw ValueError(StrCat("damaged JPEG: ", tjGetErrorStr2(jpeg_))); };
  int width = 0, height = 0, subsampling = 0, colours = 0;
  const auto size = static_cast<unsigned long>(bytes.size());  // NOLINT: turbojpeg's type
  if (tjDecompressHeader3(jpeg_, bytes.data(), size, &width, &height, &subsampling, &colours) != 0)
    fail();
  constexpr int64_t kMostInByte = 8 * 8 * 8;  // a block of 8 x 8 takes a bit
  const int64_t pixels = int64_t{height} * width;
  CheckBytes("JPEG", bytes.size(), pixels / kMostInByte, height, width);
  CheckScans(bytes, pixels);
  uint8_t* out = Begin(height, width);
  const bool has_inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
  if (has_inks) inks_.resize(pixels * 4);
  if (tjDecompress2(jpeg_, bytes.data(), size, has_inks ? inks_.data() : out, width, 0, height,
                    has_inks         ? TJPF_CMYK
                    : channels_ == 1 ? TJPF_GRAY
                                     : TJPF_RGB,
                    TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING) != 0)
    fail();
  if (has_inks) FromInks(inks_, channels_, out);
}

void ImageDecoder::DecodePng(std::span<const uint8_t> bytes) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  struct Free {
    png_image* image;
    ~Free() { png_image_free(image); }
  } const free_at_end{&png};
  const auto fail = [&png] { throw ValueError(StrCat("damaged PNG: ", png.message)); };
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size())) fail();
  constexpr int64_t kMostInflated = 1032, kMostInByte = 8;  // deflate's best; pixels of a bit
  const int64_t inflated = png.height * (int64_t{png.width} / kMostInByte);
  CheckBytes("PNG", bytes.size(), inflated / kMostInflated, png.height, png.width);
  uint8_t* out = Begin(png.height, png.width);
  png.format = channels_ == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  const png_color black = {0, 0, 0};
  if (!png_image_finish_read(&png, &black, out, 0, nullptr)) fail();
}

}  // namespace singa
