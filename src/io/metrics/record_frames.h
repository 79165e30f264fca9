// FrameOf and FrameReader write and read the frames of TensorFlow's record files, with their
// checksums. proto/README.md has the grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file/input_file.h"

namespace singa {

// Maximum number of bytes of a record that is read. A longer one is damage.
inline constexpr int64_t kMostRecordBytes = 64 << 20;

// Returns the checksum of a frame's bytes: their CRC32C, rotated by 15 bits, plus a constant.
uint32_t MaskedCrc32c(std::string_view bytes);

// Returns a record with its length and checksums.
std::string FrameOf(std::string_view record);

class FrameReader {
 public:
  // `file` must outlive it.
  explicit FrameReader(const InputFile* file) : file_(*file) {}

  // Reads the next record. Returns false at the end, and at bytes that are no intact record. Throws
  // FileError.
  bool Next(std::string* record);
  // Returns the bytes of the records that Next has read, with their frames.
  int64_t position() const { return position_; }

 private:
  const InputFile& file_;
  int64_t position_ = 0;
};

}  // namespace singa
