// GzipReader reads a gzip file's content in order.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>

#include "base/file/input_file.h"

namespace singa {

// Returns whether the file begins as gzip files do.
bool IsGzip(const InputFile& file);

class GzipReader {
 public:
  // `file` must outlive the reader.
  explicit GzipReader(const InputFile& file);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Reads n bytes, or fewer at the end of the content, and returns their number. Checks the
  // checksum at the end. Throws DataError if the file is damaged or truncated.
  int64_t Read(uint8_t* out, int64_t n);

  // Returns an upper bound of the content's size: deflate turns one byte into at most 1032 bytes.
  static int64_t MaxContent(const InputFile& file) { return (file.size() + 1) * 1032; }

 private:
  void Refill();
  void Step();

  const InputFile& file_;
  int64_t offset_ = 0;
  z_stream stream_{};
  bool ended_ = false;
  std::array<uint8_t, 1 << 16> input_;
};

}  // namespace singa
