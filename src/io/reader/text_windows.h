// TextWindows: a text as indices of its characters, cut into windows. The part that is read has
// `segments` segments of M characters, side by side; window k of each is its characters
// [k L, k L + L], so each window begins with the last character of the one before:
//
//   segment 0   a b c d e f g h     L = 3, M = 8: two windows, "abcd" and "defg"
//   segment 1   i j k l m n o p     two windows, "ijkl" and "lmno"
//
// What is left over behind the last segment, and in each behind its last window, is not read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace singa {

struct TextOptions {
  std::string path, vocabulary;  // files
  double begin = 0, end = 1;     // bytes [floor(begin n), floor(end n)) of n; begin < end
  int64_t segments = 1;
  int64_t length = 1;  // L
};

class TextWindows {
 public:
  // Reads the files into memory. Throws FileError; DataError where the text is too short or has a
  // character that the vocabulary lacks.
  explicit TextWindows(const TextOptions& options);

  int64_t windows() const { return windows_; }  // >= 1
  // The L + 1 indices of a window.
  const uint8_t* At(int64_t segment, int64_t window) const {
    return text_.data() + segment * segment_size_ + window * length_;
  }

  // The byte of the text that a window begins at.
  int64_t Place(int64_t segment, int64_t window) const {
    return begin_ + segment * segment_size_ + window * length_;
  }

  // Bytes that a text takes in memory; 0 where there is no such file.
  static int64_t Bytes(const TextOptions& options);

 private:
  int64_t begin_ = 0, segment_size_ = 0, windows_ = 0;
  const int64_t length_;
  std::vector<uint8_t> text_;
};

}  // namespace singa
