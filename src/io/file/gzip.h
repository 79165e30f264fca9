// Reading gzip files: the bytes come in order, as many as the caller asks for.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>

#include "base/file/input_file.h"

namespace singa {

// Whether the file begins as gzip files do.
bool IsGzip(const InputFile& file);

class GzipReader {
 public:
  // `file` must outlive the reader.
  explicit GzipReader(const InputFile& file);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Reads n bytes, or fewer where the content ends before; returns how many. Checks the checksum
  // at the end. Throws DataError: damaged or truncated.
  int64_t Read(uint8_t* out, int64_t n);

  // Deflate makes at most 1032 bytes of one, so the content cannot have more than this many.
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
