// EncodePng makes PNG files of planar pixels.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace singa {

// Returns a lossless PNG. pixels: [channels, height, width]; channels: 3 (red first), or 1 for
// grey. Throws ValueError for a width or height above 10^6, which libpng refuses.
std::string EncodePng(std::span<const uint8_t> pixels, int channels, int32_t height, int32_t width);

}  // namespace singa
