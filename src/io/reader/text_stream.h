// TextStream: a text as indices of its characters, read in pieces: of any length, and as it comes.
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

  // The next character's index; -1 behind the last. Throws FileError; DataError with the byte and
  // line of a character that the vocabulary lacks.
  int Next();

 private:
  int NextByte();

  const std::string path_;
  const Vocabulary& vocabulary_;
  std::optional<InputFile> file_;  // none: standard input
  std::vector<uint8_t> piece_;     // of the file, up to byte end_
  int64_t end_ = 0;
  int64_t offset_ = 0, line_ = 1;  // of the next byte
};

}  // namespace singa
