// Exif: what a camera notes beside a picture. Only the orientation is read.
#pragma once

#include <cstdint>
#include <span>

namespace singa {

// The orientation that a block of Exif (a TIFF header and its first directory) gives: 1 to 8; 1
// where it has none, or is damaged.
int ExifOrientation(std::span<const uint8_t> block);

}  // namespace singa
