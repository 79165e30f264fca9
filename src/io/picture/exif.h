// ExifOrientation reads the orientation from Exif, a camera's notes on a picture.
#pragma once

#include <cstdint>
#include <span>

namespace singa {

// Returns the orientation, 1 to 8, of a block of Exif (a TIFF header and its first directory); 1 if
// it has none, or is damaged.
int ExifOrientation(std::span<const uint8_t> block);

}  // namespace singa
