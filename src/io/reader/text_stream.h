// TextStream reads a text of any length, as it arrives, and gives the indices of its characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file/input_file.h"
#include "io/vocabulary.h"

namespace singa {

class TextStream {
 public:
  // `path`: a file, or "-" for standard input. `vocabulary` outlives it. Throws FileError.
  TextStream(const std::string& path, const Vocabulary& vocabulary);

  // Returns the next character's index; -1 at the end. Throws FileError, or DataError with the byte
  // and line of a character that the vocabulary lacks.
  int Next();

 private:
  int NextByte();

  const std::string path_;
  const Vocabulary& vocabulary_;
  std::optional<InputFile> file_;  // not set: standard input
  std::vector<uint8_t> piece_;     // piece of the text, up to byte end_
  int64_t end_ = 0;
  int64_t offset_ = 0, line_ = 1;  // place of the next byte
};

}  // namespace singa
