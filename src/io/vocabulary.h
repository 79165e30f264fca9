// Vocabulary maps characters to indices. A character is a byte. The n-th byte of the file, from 0,
// has the index n; a newline is a character too.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "singa/base/error.h"

namespace singa {

class Vocabulary {
 public:
  // Reads the file. Throws FileError, or DataError if the file is empty or repeats a byte.
  explicit Vocabulary(const std::string& path);

  const std::string& path() const { return path_; }
  int size() const { return size_; }
  // Returns the index of a character; -1: the vocabulary lacks it.
  int IndexOf(uint8_t byte) const { return index_[byte]; }
  // Returns the character of an index. REQUIRES: 0 <= index < size().
  char Character(int index) const { return static_cast<char>(bytes_[index]); }

 private:
  const std::string path_;
  int size_ = 0;
  std::array<uint8_t, 256> bytes_{};
  std::array<int16_t, 256> index_{};
};

// Returns a byte as errors show it: "a", "\x0a".
std::string CharacterText(uint8_t byte);
// Returns the name of a byte's class: the byte itself if it is printable, else its C escape: \n,
// \t, \\, \xe4. Names differ for all bytes and have no control characters.
std::string CharacterName(uint8_t byte);

// Makes the error that byte `offset` of a text, in line `line` (from 1), is not in the vocabulary.
DataError LackedCharacter(const std::string& text, int64_t offset, int64_t line, uint8_t byte,
                          const Vocabulary& vocabulary);

}  // namespace singa
