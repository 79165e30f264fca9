// DecodePng decodes PNG files.
#pragma once

#include <cstdint>
#include <span>

#include "io/picture/raster.h"

namespace singa {

bool IsPng(std::span<const uint8_t> bytes);

// Decodes the samples as they are stored, as OpenCV and Pillow do: gamma, colour profiles and
// background are not applied, and transparency is left out. A palette becomes colours; greys of 1,
// 2 or 4 bits become 0 to 255. Throws ValueError if the file is damaged or too large.
void DecodePng(std::span<const uint8_t> bytes, Raster* raster);

}  // namespace singa
