#include "io/reader/text_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "singa/base/error.h"

namespace singa {

TextStream::TextStream(const std::string& path, const Vocabulary& vocabulary)
    : path_(path), vocabulary_(vocabulary) {
  if (path != "-") file_.emplace(InputFile::Open(path));
}

int TextStream::Next() {
  const int byte = NextByte();
  if (byte < 0) return -1;
  const int index = vocabulary_.IndexOf(static_cast<uint8_t>(byte));
  if (index < 0)
    throw LackedCharacter(file_ ? path_ : "standard input", offset_, line_,
                          static_cast<uint8_t>(byte), vocabulary_);
  ++offset_;
  line_ += byte == '\n';
  return index;
}

// Returns the next byte; -1: the text has ended.
int TextStream::NextByte() {
  constexpr int64_t kPiece = 1 << 16;
  if (!file_) {
    const int byte = getc_unlocked(stdin);
    if (std::ferror(stdin)) throw FileError(kExitIo, "standard input", std::strerror(errno));
    return byte == EOF ? -1 : byte;
  }
  if (offset_ == file_->size()) return -1;
  if (offset_ == end_) {
    piece_.resize(std::min(kPiece, file_->size() - offset_));
    file_->ReadAt(offset_, piece_.data(), static_cast<int64_t>(piece_.size()));
    end_ += static_cast<int64_t>(piece_.size());
  }
  return piece_[piece_.size() - (end_ - offset_)];
}

}  // namespace singa
