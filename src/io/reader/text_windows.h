// TextWindows cuts a text, as indices of its characters, into windows. The part that is read has
// `segments` consecutive segments of M characters. Window k of a segment is its characters [k L, k
// L + L], so each window begins with the last character of the one before:
//
//   segment 0   a b c d e f g h     L = 3, M = 8: two windows, "abcd" and "defg"
//   segment 1   i j k l m n o p     two windows, "ijkl" and "lmno"
//
// Characters after the last segment, and after the last window of a segment, are not read.
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
  // Reads the files into memory. Throws FileError, or DataError if the text is too short or has a
  // character that the vocabulary lacks.
  explicit TextWindows(const TextOptions& options);

  int64_t windows() const { return windows_; }  // of a segment; >= 1
  // Returns where a window begins in the segments' characters.
  int64_t BeginOf(int64_t segment, int64_t window) const {
    return segment * segment_size_ + window * length_;
  }
  // Returns the number of places where L + 1 characters begin, in any segment; >= 1.
  int64_t begins() const { return static_cast<int64_t>(text_.size()) - length_; }

  // Returns the L + 1 indices that begin at a place in [0, begins()).
  const uint8_t* At(int64_t begin) const { return text_.data() + begin; }
  // Returns the byte of the file for that place.
  int64_t PlaceInFile(int64_t begin) const { return begin_ + begin; }

  // Returns the largest index in the text, but for the last character of each row's windows, which
  // is never an input.
  int Largest() const;
  // Returns the largest index in the text, without its last character.
  int LargestAnywhere() const;

  // Returns the bytes of memory that a text needs; 0 if the file does not exist.
  static int64_t Bytes(const TextOptions& options);

 private:
  int64_t begin_ = 0, segment_size_ = 0, windows_ = 0;
  const int64_t length_;
  std::vector<uint8_t> text_;
};

}  // namespace singa
