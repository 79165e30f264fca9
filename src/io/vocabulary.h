// Vocabulary: which character has which index. A character is a byte; the n-th byte of the file,
// from 0, has the index n, a newline like any other.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "singa/base/error.h"

namespace singa {

class Vocabulary {
 public:
  // Throws FileError; DataError where the file is empty or has a byte twice.
  explicit Vocabulary(const std::string& path);

  const std::string& path() const { return path_; }
  int size() const { return size_; }
  // -1: the vocabulary lacks it.
  int IndexOf(uint8_t byte) const { return index_[byte]; }
  // REQUIRES: 0 <= index < size().
  char Character(int index) const { return static_cast<char>(bytes_[index]); }

 private:
  const std::string path_;
  int size_ = 0;
  std::array<uint8_t, 256> bytes_{};
  std::array<int16_t, 256> index_{};
};

// A byte as errors show it: "a", "\x0a".
std::string CharacterText(uint8_t byte);
// A byte as the name of a class, which is one to one and holds no control character: as it is where
// it can be printed, else as C has it: \n, \t, \\, \xe4.
std::string CharacterName(uint8_t byte);

// What is wrong with a text: its byte `offset`, in line `line` (from 1), is none of the
// vocabulary's.
DataError LackedCharacter(const std::string& text, int64_t offset, int64_t line, uint8_t byte,
                          const Vocabulary& vocabulary);

}  // namespace singa
