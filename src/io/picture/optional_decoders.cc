#include "io/picture/optional_decoders.h"

#include <algorithm>
#include <string_view>

#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

bool HasTextAt(std::span<const uint8_t> bytes, size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

void OptionalDecoder::operator()(std::span<const uint8_t> bytes, Raster* raster) const {
  if (!decode)
    throw ValueError(StrCat("is a ", format, " file, and this build of singa is without ", library,
                            ", which reads them"));
  decode(bytes, raster);
}

bool IsWebp(std::span<const uint8_t> bytes) {
  return HasTextAt(bytes, 0, "RIFF") && HasTextAt(bytes, 8, "WEBP");
}

// A TIFF begins with its byte order and the number 42, or 43 if its offsets have 64 bits.
bool IsTiff(std::span<const uint8_t> bytes) {
  using std::string_view_literals::operator""sv;
  return HasTextAt(bytes, 0, "II*\0"sv) || HasTextAt(bytes, 0, "MM\0*"sv) ||
         HasTextAt(bytes, 0, "II+\0"sv) || HasTextAt(bytes, 0, "MM\0+"sv);
}

}  // namespace singa
