// These formats of picture files need a library that a build may lack.
#pragma once

#include <cstdint>
#include <span>

#include "io/picture/raster.h"

namespace singa {

// A decoder that the file of its library (decode_webp.cc, decode_tiff.cc) sets before main.
struct OptionalDecoder {
  using Decode = void (*)(std::span<const uint8_t> bytes, Raster* raster);

  const char* format;
  const char* library;
  Decode decode = nullptr;  // null: the build lacks the library

  bool Set(Decode own) {
    decode = own;
    return true;
  }
  // Decodes as DecodePng does: samples as stored, without transparency. Throws ValueError if the
  // file is damaged, too large or of a kind that is not read, or if the build lacks the library.
  void operator()(std::span<const uint8_t> bytes, Raster* raster) const;
};

inline constinit OptionalDecoder DecodeWebp{"WebP", "libwebp"};
inline constinit OptionalDecoder DecodeTiff{"TIFF", "libtiff"};

// Return whether a file begins as one of these formats does. They need no library.
bool IsWebp(std::span<const uint8_t> bytes);
bool IsTiff(std::span<const uint8_t> bytes);

}  // namespace singa
