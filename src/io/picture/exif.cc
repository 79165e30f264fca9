#include "io/picture/exif.h"

namespace singa {
namespace {

// Reads numbers of a TIFF, in its byte order. All bytes after the end read as 0.
class Tiff {
 public:
  Tiff(std::span<const uint8_t> bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  uint32_t Number16(uint64_t at) const {
    return big_endian_ ? Byte(at) << 8 | Byte(at + 1) : Byte(at + 1) << 8 | Byte(at);
  }
  uint32_t Number32(uint64_t at) const {
    return big_endian_ ? Number16(at) << 16 | Number16(at + 2)
                       : Number16(at + 2) << 16 | Number16(at);
  }

 private:
  uint32_t Byte(uint64_t at) const { return at < bytes_.size() ? bytes_[at] : 0; }

  const std::span<const uint8_t> bytes_;
  const bool big_endian_;
};

}  // namespace

// TIFF 6.0, section 2: a block has the byte order, 42, and the place of a directory of entries of
// 12 bytes.
int ExifOrientation(std::span<const uint8_t> block) {
  constexpr uint32_t kOrientation = 0x112, kShort = 3;
  constexpr uint64_t kEntryBytes = 12;
  if (block.size() < 8 || block[0] != block[1] || (block[0] != 'I' && block[0] != 'M')) return 1;
  const Tiff tiff(block, block[0] == 'M');
  if (tiff.Number16(2) != 42) return 1;
  const uint64_t directory = tiff.Number32(4);
  const uint64_t entries = tiff.Number16(directory);
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t entry = directory + 2 + i * kEntryBytes;
    if (tiff.Number16(entry) != kOrientation || tiff.Number16(entry + 2) != kShort) continue;
    const uint32_t orientation = tiff.Number16(entry + 8);
    return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  }
  return 1;
}

}  // namespace singa
