#include "io/reader/text_windows.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file/input_file.h"
#include "io/vocabulary.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the byte at the given share of a text of `size` bytes.
int64_t PlaceOf(double share, int64_t size) {
  return static_cast<int64_t>(std::floor(share * static_cast<double>(size)));
}

// Returns the number, from 1, of the line at `offset`.
int64_t LineOf(const InputFile& file, int64_t offset) {
  constexpr int64_t kPiece = 1 << 20;
  std::vector<char> piece(kPiece);
  int64_t line = 1;
  for (int64_t at = 0; at < offset; at += kPiece) {
    const int64_t n = std::min(kPiece, offset - at);
    file.ReadAt(at, piece.data(), n);
    line += std::count(piece.begin(), piece.begin() + n, '\n');
  }
  return line;
}

void ToIndices(const InputFile& file, int64_t begin, const std::string& path,
               std::vector<uint8_t>* text) {
  const Vocabulary vocabulary(path);
  for (size_t i = 0; i < text->size(); ++i) {
    const uint8_t byte = (*text)[i];
    const int index = vocabulary.IndexOf(byte);
    const int64_t offset = begin + static_cast<int64_t>(i);
    if (index < 0)
      throw LackedCharacter(file.name(), offset, LineOf(file, offset), byte, vocabulary);
    (*text)[i] = static_cast<uint8_t>(index);
  }
}

}  // namespace

TextWindows::TextWindows(const TextOptions& options) : length_(options.length) {
  const InputFile file = InputFile::Open(options.path);
  begin_ = PlaceOf(options.begin, file.size());
  const int64_t size = PlaceOf(options.end, file.size()) - begin_;
  segment_size_ = size / options.segments;
  windows_ = segment_size_ == 0 ? 0 : (segment_size_ - 1) / length_;
  if (windows_ == 0)
    throw DataError(
        options.path, -1,
        StrCat("windows longer than the text: it has ", file.size(),
               " characters, the part that is read ", size, ", each of its ", options.segments,
               " segments ", segment_size_, "; a window has ", length_ + 1));
  text_.resize(options.segments * segment_size_);
  file.ReadAt(begin_, text_.data(), static_cast<int64_t>(text_.size()));
  ToIndices(file, begin_, options.vocabulary, &text_);
}

int TextWindows::Largest() const {
  uint8_t largest = 0;
  const auto size = static_cast<int64_t>(text_.size());
  for (int64_t at = 0; at < size; at += segment_size_) {
    const uint8_t* const segment = text_.data() + at;
    largest = std::max(largest, *std::max_element(segment, segment + windows_ * length_));
  }
  return largest;
}

int TextWindows::LargestAnywhere() const {
  return *std::max_element(text_.begin(), text_.end() - 1);
}

int64_t TextWindows::Bytes(const TextOptions& options) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(options.path, error);
  if (error) return 0;
  const auto bytes = static_cast<int64_t>(size);
  return PlaceOf(options.end, bytes) - PlaceOf(options.begin, bytes);
}

}  // namespace singa
