#include "io/picture/png_decoder.h"

#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <new>
#include <string>

#include "io/picture/exif.h"
#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr uint8_t kPngMagic[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

// Reads a PNG in memory by libpng. A libpng function that fails leaves by longjmp.
class PngReader {
 public:
  explicit PngReader(std::span<const uint8_t> bytes)
      : bytes_(bytes), png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, Fail, Ignore)) {
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, this, Read);
    // Keep only Exif of the optional chunks.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    constexpr png_byte kExif[] = "eXIf";
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_AS_DEFAULT, kExif, 1);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  int64_t height() const { return png_get_image_height(png_, info_); }
  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t row_bytes() const { return static_cast<int64_t>(png_get_rowbytes(png_, info_)); }
  int bits() const { return png_get_bit_depth(png_, info_); }
  bool is_grey() const { return (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) == 0; }

  void ReadHeader() {
    Guard([this] { png_read_info(png_, info_); });
  }

  // Makes libpng convert rows to samples of 8 or 16 bits: grey, or red, green and blue.
  void ConvertSamples() {
    Guard([this] {
      if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
      if (is_grey() && bits() < 8) png_set_expand_gray_1_2_4_to_8(png_);
      png_set_strip_alpha(png_);
      if (bits() == 16 && std::endian::native == std::endian::little) png_set_swap(png_);
      png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
    });
  }

  // REQUIRES: rows has height() elements; each points to row_bytes() bytes.
  void ReadRows(std::vector<png_bytep>* rows) {
    png_bytepp const first = rows->data();
    Guard([this, first] {
      png_read_image(png_, first);
      png_read_end(png_, info_);
    });
  }

  // Returns the orientation in the Exif chunk, if one was read.
  int Orientation() {
    png_uint_32 size = 0;
    png_bytep block = nullptr;
    if (png_get_eXIf_1(png_, info_, &size, &block) == 0) return 1;
    return ExifOrientation({block, size});
  }

 private:
  // Runs `work` and turns a jump into an exception. REQUIRES: `work` has no object with a
  // destructor, which a jump would skip.
  template <typename Work>
  void Guard(Work work) {
    if (setjmp(png_jmpbuf(png_)) != 0) throw ValueError("damaged PNG: " + error_);  // NOLINT
    work();
  }

  static void Fail(png_structp png, png_const_charp message) {
    static_cast<PngReader*>(png_get_error_ptr(png))->error_ = message;
    png_longjmp(png, 1);
  }
  static void Ignore(png_structp, png_const_charp) {}  // libpng can still read the file

  static void Read(png_structp png, png_bytep out, size_t size) {
    auto* const self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (size > self->bytes_.size() - self->at_) png_error(png, "cut off");
    std::memcpy(out, self->bytes_.data() + self->at_, size);
    self->at_ += size;
  }

  const std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  std::string error_;
  png_structp png_;
  png_infop info_ = nullptr;
};

}  // namespace

bool IsPng(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof kPngMagic &&
         std::memcmp(bytes.data(), kPngMagic, sizeof kPngMagic) == 0;
}

void DecodePng(std::span<const uint8_t> bytes, Raster* raster) {
  PngReader reader(bytes);
  reader.ReadHeader();
  constexpr int64_t kMostInflated = 1032;  // deflate's maximum ratio
  CheckBytes("PNG", bytes.size(), reader.height() * reader.row_bytes() / kMostInflated,
             reader.height(), reader.width());
  SetSize(reader.height(), reader.width(), raster);
  reader.ConvertSamples();
  raster->channels = reader.is_grey() ? 1 : 3;
  const bool wide = reader.bits() == 16;
  const int64_t samples = raster->height * raster->width * raster->channels;
  if (raster->height * reader.row_bytes() != samples * (wide ? 2 : 1))
    throw ValueError("is a PNG whose rows cannot be read");
  raster->bytes.resize(wide ? 0 : samples);
  raster->words.resize(wide ? samples : 0);
  png_bytep row = wide ? reinterpret_cast<png_bytep>(raster->words.data()) : raster->bytes.data();
  std::vector<png_bytep> rows(raster->height);
  for (png_bytep& place : rows) {
    place = row;
    row += reader.row_bytes();
  }
  reader.ReadRows(&rows);
  raster->orientation = reader.Orientation();
}

}  // namespace singa
