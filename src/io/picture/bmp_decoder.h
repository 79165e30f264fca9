// DecodeBmp decodes BMP files.
#pragma once

#include <cstdint>
#include <span>

#include "io/picture/raster.h"

namespace singa {

bool IsBmp(std::span<const uint8_t> bytes);

// Decodes uncompressed pictures of 24 or 32 bits a pixel, or of 8 bits and a palette, to colours.
// Transparency is left out. Throws ValueError if the file is damaged, too large or of another kind.
void DecodeBmp(std::span<const uint8_t> bytes, Raster* raster);

}  // namespace singa
