#include "io/picture/png_encoder.h"

#include <png.h>

#include <cstring>
#include <vector>

#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {

std::string EncodePng(std::span<const uint8_t> pixels, int channels, int32_t height,
                      int32_t width) {
  const int64_t plane = int64_t{height} * width;
  std::vector<uint8_t> interleaved(pixels.size());
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < plane; ++i) interleaved[i * channels + c] = pixels[c * plane + i];
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.height = static_cast<png_uint_32>(height);
  png.width = static_cast<png_uint_32>(width);
  png.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string file(bytes, '\0');
  if (!png_image_write_to_memory(&png, file.data(), &bytes, 0, interleaved.data(), 0, nullptr))
    throw ValueError(StrCat("cannot become a PNG file: ", png.message));
  file.resize(bytes);
  return file;
}

}  // namespace singa
