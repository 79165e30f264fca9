#include "io/vocabulary.h"

#include <algorithm>
#include <vector>

#include "base/file/input_file.h"
#include "singa/base/error.h"

namespace singa {

std::string CharacterText(uint8_t byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (byte >= ' ' && byte < 0x7f) return StrCat("\"", static_cast<char>(byte), "\"");
  return StrCat("\"\\x", kDigits[byte >> 4], kDigits[byte & 15], "\"");
}

std::string CharacterName(uint8_t byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (byte >= ' ' && byte < 0x7f) return {static_cast<char>(byte)};
  return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

DataError LackedCharacter(const std::string& text, int64_t offset, int64_t line, uint8_t byte,
                          const Vocabulary& vocabulary) {
  return DataError(text, -1,
                   StrCat("byte ", offset, ", in line ", line, ", is ", CharacterText(byte),
                          ", which the vocabulary ", vocabulary.path(), " lacks"));
}

Vocabulary::Vocabulary(const std::string& path) : path_(path) {
  const InputFile file = InputFile::Open(path);
  if (file.size() == 0)
    throw DataError(path, -1, "is empty: a vocabulary has at least one character");
  // 257 bytes always have a repeated byte.
  std::vector<uint8_t> bytes(std::min<int64_t>(file.size(), 257));
  file.ReadAt(0, bytes.data(), static_cast<int64_t>(bytes.size()));
  index_.fill(-1);
  for (uint8_t byte : bytes) {
    if (index_[byte] >= 0)
      throw DataError(path, -1,
                      StrCat("byte ", size_, " is ", CharacterText(byte), " again, which byte ",
                             index_[byte], " is: a vocabulary has each character once"));
    bytes_[size_] = byte;
    index_[byte] = static_cast<int16_t>(size_++);
  }
}

}  // namespace singa
