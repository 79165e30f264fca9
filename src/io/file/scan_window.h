// ScanWindow helps to scan a file without an index for the places of its values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/file/input_file.h"

namespace singa {

// Bytes [offset, offset + size) of a file.
struct ValuePlace {
  int64_t offset = 0;
  int64_t size = 0;
};

// A window of a file that moves forward with a scan.
class ScanWindow {
 public:
  explicit ScanWindow(const InputFile& file) : file_(file) {}

  // Returns bytes from `offset` on, at least min(least, bytes left); valid until the next call.
  // REQUIRES: least <= kBytes.
  std::string_view At(int64_t offset, int64_t least) {
    const int64_t want = std::min(least, file_.size() - offset);
    if (offset < begin_ || offset + want > begin_ + static_cast<int64_t>(bytes_.size())) {
      bytes_.resize(std::min<int64_t>(kBytes, file_.size() - offset));
      file_.ReadAt(offset, bytes_.data(), static_cast<int64_t>(bytes_.size()));
      begin_ = offset;
    }
    return std::string_view(bytes_.data(), bytes_.size()).substr(offset - begin_);
  }

 private:
  static constexpr int64_t kBytes = 1 << 16;

  const InputFile& file_;
  int64_t begin_ = 0;
  std::vector<char> bytes_;
};

}  // namespace singa
