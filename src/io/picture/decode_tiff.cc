// Decodes the first picture of TIFF files by libtiff.
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/text/counted.h"
#include "io/picture/open_tiff.h"
#include "io/picture/optional_decoders.h"
#include "io/value_error.h"
#include "math/library/libraries.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

template <typename Number>
Number Field(TIFF* tiff, uint32_t tag, Number otherwise) {
  Number value = otherwise;
  return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : otherwise;
}

// How samples lie in the file: in blocks, which are tiles, or strips of whole rows.
struct TiffLayout {
  int64_t height, width;
  int64_t samples;  // of a pixel, with those that are not read
  uint16_t photometric, bits, orientation;
  bool tiled, apart;  // apart: each sample has blocks of its own
  bool plain;         // not compressed
  int64_t block_height, block_width;

  int64_t block_samples() const { return apart ? 1 : samples; }  // of a pixel
  int64_t row_samples() const { return block_width * block_samples(); }
  int64_t block_bytes() const { return block_height * row_samples() * (bits / 8); }
};

void CheckKind(TIFF* tiff, const TiffLayout& layout) {
  const auto kind = Field<uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  if ((layout.bits != 8 && layout.bits != 16) || kind != SAMPLEFORMAT_UINT)
    throw ValueError(StrCat("is a TIFF of ", layout.bits, " bits a sample",
                            kind == SAMPLEFORMAT_UINT ? "" : ", not unsigned",
                            "; unsigned samples of 8 and 16 bits are read"));
  constexpr int64_t kMostSamples = 5;
  const bool colours = layout.photometric == PHOTOMETRIC_RGB;
  if (layout.samples < (colours ? 3 : 1) || layout.samples > kMostSamples)
    throw ValueError(
        StrCat("is a TIFF of ", layout.samples, " samples a pixel, which is not read"));
  const bool grey =
      layout.photometric == PHOTOMETRIC_MINISBLACK || layout.photometric == PHOTOMETRIC_MINISWHITE;
  const bool palette = layout.photometric == PHOTOMETRIC_PALETTE && layout.bits == 8;
  if (!colours && !grey && !palette)
    throw ValueError(StrCat("is a TIFF of kind ", layout.photometric,
                            " (its tag 262); greys, RGB, JPEG's colours and palettes of 8 bits "
                            "are read"));
}

void CheckCompression(TIFF* tiff) {
  constexpr std::array<uint16_t, 6> kRead = {COMPRESSION_NONE,     COMPRESSION_LZW,
                                             COMPRESSION_DEFLATE,  COMPRESSION_ADOBE_DEFLATE,
                                             COMPRESSION_PACKBITS, COMPRESSION_JPEG};
  const auto kind = Field<uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  if (std::find(kRead.begin(), kRead.end(), kind) == kRead.end() || !TIFFIsCODECConfigured(kind))
    throw ValueError(StrCat("is a TIFF of compression ", kind,
                            ", which is not read; uncompressed files, LZW, deflate, PackBits and "
                            "JPEG are"));
}

TiffLayout ReadLayout(TIFF* tiff) {
  CheckCompression(tiff);
  TiffLayout layout{};
  layout.height = Field<uint32_t>(tiff, TIFFTAG_IMAGELENGTH, 0);
  layout.width = Field<uint32_t>(tiff, TIFFTAG_IMAGEWIDTH, 0);
  layout.samples = Field<uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  layout.bits = Field<uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE, 1);
  layout.photometric = Field<uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  layout.orientation = Field<uint16_t>(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  if (layout.orientation < 1 || layout.orientation > 8) layout.orientation = 1;
  const auto compression = Field<uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  layout.plain = compression == COMPRESSION_NONE;
  layout.apart =
      Field<uint16_t>(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  if (layout.photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG &&
      TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB))
    layout.photometric = PHOTOMETRIC_RGB;  // libtiff converts
  CheckKind(tiff, layout);
  layout.tiled = TIFFIsTiled(tiff) != 0;
  layout.block_height =
      layout.tiled
          ? Field<uint32_t>(tiff, TIFFTAG_TILELENGTH, 0)
          : std::min<int64_t>(Field<uint32_t>(tiff, TIFFTAG_ROWSPERSTRIP, 1), layout.height);
  layout.block_width = layout.tiled ? Field<uint32_t>(tiff, TIFFTAG_TILEWIDTH, 0) : layout.width;
  return layout;
}

// Reads blocks into a raster of `channels` samples a pixel, the first ones of the file's.
template <typename Sample>
class BlockReader {
 public:
  BlockReader(TIFF* tiff, const TiffFile& file, const TiffLayout& layout, int channels, Sample* out)
      : tiff_(tiff), file_(file), layout_(layout), channels_(channels), out_(out) {
    // Files with subsampled colours have other block sizes; they are refused.
    const int64_t own = layout.tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
    if (layout.block_height < 1 || layout.block_width < 1 ||
        layout.block_height > kMaxPicturePixels || layout.block_width > kMaxPicturePixels ||
        layout.block_bytes() > kMaxTiffBlock || layout.block_bytes() != own)
      throw ValueError(StrCat("is a TIFF whose ", layout.tiled ? "tiles" : "strips", " of ",
                              layout.block_width, " x ", layout.block_height, " are not read"));
    // Tiles may reach far beyond the picture, and many may have the same bytes of the file.
    constexpr int64_t kMostPixels = 4 * kMaxPicturePixels;  // of all tiles together
    const int64_t tiles =
        Blocks(layout.height, layout.block_height) * Blocks(layout.width, layout.block_width);
    if (tiles * layout.block_height * layout.block_width > kMostPixels)
      throw ValueError(StrCat("is a TIFF of ", tiles, layout.tiled ? " tiles of " : " strips of ",
                              layout.block_width, " x ", layout.block_height, "; at most ",
                              kMostPixels, " pixels are decoded"));
    block_.resize(layout.block_height * layout.row_samples());
  }

  void ReadAll() {
    for (int plane = 0; plane < (layout_.apart ? channels_ : 1); ++plane)
      for (int64_t y = 0; y < layout_.height; y += layout_.block_height)
        for (int64_t x = 0; x < layout_.width; x += layout_.block_width) {
          ReadBlock(x, y, plane);
          Copy(x, y, plane);
        }
  }

 private:
  // Returns how many blocks of `each` pixels a side has.
  static int64_t Blocks(int64_t side, int64_t each) { return (side + each - 1) / each; }

  void ReadBlock(int64_t x, int64_t y, int plane) {
    const auto row = static_cast<uint32_t>(y), column = static_cast<uint32_t>(x);
    const auto sample = static_cast<uint16_t>(plane);
    const int64_t rows =
        layout_.tiled ? layout_.block_height : std::min(layout_.block_height, layout_.height - y);
    const int64_t want = rows * layout_.row_samples() * static_cast<int64_t>(sizeof(Sample));
    const uint32_t block = layout_.tiled ? TIFFComputeTile(tiff_, column, row, 0, sample)
                                         : TIFFComputeStrip(tiff_, row, sample);
    CheckBlock(block, want);
    const tmsize_t got = layout_.tiled ? TIFFReadEncodedTile(tiff_, block, block_.data(), want)
                                       : TIFFReadEncodedStrip(tiff_, block, block_.data(), want);
    if (got < want) FailTiff(file_, Place(block) + ": ");
  }

  std::string Place(uint32_t block) const {
    return layout_.tiled ? StrCat("tile ", block + 1, " of ", TIFFNumberOfTiles(tiff_))
                         : StrCat("strip ", block + 1, " of ", TIFFNumberOfStrips(tiff_));
  }

  // Throws if the file lacks the block, or some of its bytes. In an uncompressed file libtiff would
  // read other bytes: it takes 0 for a missing offset, and does not check sizes.
  void CheckBlock(uint32_t block, int64_t want) const {
    const auto damaged = [&](const std::string& text) {
      throw ValueError(StrCat("damaged TIFF: ", Place(block), " ", text));
    };
    const uint64_t begin = TIFFGetStrileOffset(tiff_, block), all = file_.bytes.size();
    const uint64_t bytes = TIFFGetStrileByteCount(tiff_, block);
    if (begin == 0 || bytes == 0) damaged("is missing");
    if (begin > all || bytes > all - begin) damaged("reaches beyond the end of the file");
    if (layout_.plain && bytes < static_cast<uint64_t>(want))
      damaged(StrCat("has ", Counted(bytes, "byte"), ", needs ", want));
  }

  // Copies the part of the block that is in the picture.
  void Copy(int64_t x, int64_t y, int plane) {
    const int64_t rows = std::min(layout_.block_height, layout_.height - y);
    const int64_t columns = std::min(layout_.block_width, layout_.width - x);
    const int64_t step = layout_.block_samples();
    const int own = layout_.apart ? 1 : channels_;  // samples of a pixel that are copied
    for (int64_t r = 0; r < rows; ++r) {
      const Sample* from = block_.data() + r * layout_.row_samples();
      Sample* to = out_ + ((y + r) * layout_.width + x) * channels_ + plane;
      for (int64_t c = 0; c < columns; ++c, from += step, to += channels_)
        std::copy_n(from, own, to);
    }
  }

  TIFF* const tiff_;
  const TiffFile& file_;
  const TiffLayout& layout_;
  const int channels_;
  Sample* const out_;
  std::vector<Sample> block_;
};

// Replaces indexes by the palette's colours, of which 8 bits are used.
void UsePalette(TIFF* tiff, const TiffFile& file, Raster* raster) {
  const uint16_t* colours[3] = {};
  if (!TIFFGetField(tiff, TIFFTAG_COLORMAP, &colours[0], &colours[1], &colours[2])) FailTiff(file);
  std::vector<uint8_t> pixels;
  pixels.reserve(raster->bytes.size() * 3);
  for (uint8_t index : raster->bytes)
    for (const uint16_t* colour : colours)
      pixels.push_back(static_cast<uint8_t>(colour[index] >> 8));
  raster->bytes.swap(pixels);
  raster->channels = 3;
}

template <typename Sample>
void ReadSamples(TIFF* tiff, const TiffFile& file, const TiffLayout& layout, int channels,
                 std::vector<Sample>* samples) {
  samples->resize(layout.height * layout.width * channels);
  BlockReader<Sample>(tiff, file, layout, channels, samples->data()).ReadAll();
  if (layout.photometric != PHOTOMETRIC_MINISWHITE) return;
  for (Sample& sample : *samples) sample = static_cast<Sample>(~sample);
}

void Decode(std::span<const uint8_t> bytes, Raster* raster) {
  TiffFile file{.bytes = bytes};
  const TiffHandle tiff = OpenTiff(&file);
  const TiffLayout layout = ReadLayout(tiff.get());
  constexpr int64_t kMostInflated = 4096;  // above the maximum ratios of all compressions
  SetSize(layout.height, layout.width, raster);
  CheckBytes("TIFF", bytes.size(), layout.height * layout.width / kMostInflated, layout.height,
             layout.width);
  raster->channels = layout.photometric == PHOTOMETRIC_RGB ? 3 : 1;
  raster->bytes.clear();
  raster->words.clear();
  if (layout.bits == 16)
    ReadSamples(tiff.get(), file, layout, raster->channels, &raster->words);
  else
    ReadSamples(tiff.get(), file, layout, raster->channels, &raster->bytes);
  if (layout.photometric == PHOTOMETRIC_PALETTE) UsePalette(tiff.get(), file, raster);
  raster->orientation = layout.orientation;
}

bool Register() {
  const std::string text = TIFFGetVersion();  // "LIBTIFF, Version 4.5.0" and more lines
  const size_t at = text.find("Version ") + 8;
  return AddLibrary("libtiff " + text.substr(at, text.find('\n') - at)) && DecodeTiff.Set(Decode);
}
[[maybe_unused]] const bool registered = Register();

}  // namespace
}  // namespace singa
