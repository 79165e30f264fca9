// OpenTiff opens a TIFF file in memory by libtiff, which prints nothing.
#pragma once

#include <tiffio.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace singa {

// Limit of a strip, a tile, and each of libtiff's own blocks of memory.
inline constexpr int64_t kMaxTiffBlock = int64_t{1} << 28;  // bytes

// A file in memory, as libtiff reads it, and its first error.
struct TiffFile {
  std::span<const uint8_t> bytes;
  uint64_t at = 0;
  std::array<char, 256> error{};
};

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffHandle = std::unique_ptr<TIFF, CloseTiff>;

// Opens a file, which must outlive the handle. Throws ValueError.
TiffHandle OpenTiff(TiffFile* file);

// Throws ValueError with the file's first error. `place`: where the damage is, such as
// "strip 3 of 8: ".
[[noreturn]] void FailTiff(const TiffFile& file, const std::string& place = "");

}  // namespace singa
