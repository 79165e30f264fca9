#include "io/table/line_index.h"

#include <algorithm>
#include <iterator>

#include "singa/base/error.h"

namespace singa {

int64_t ByteOrderMark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

int64_t LineCounter::At(const InputFile& file, int64_t offset) {
  constexpr int64_t kBlock = int64_t{1} << 16;
  ScanWindow window(file);
  const auto lines_in = [&](int64_t at, int64_t end) {
    int64_t lines = 0;
    while (at < end) {
      const std::string_view bytes = window.At(at, 1).substr(0, end - at);
      lines += std::count(bytes.begin(), bytes.end(), '\n');
      at += static_cast<int64_t>(bytes.size());
    }
    return lines;
  };
  const int64_t block = offset / kBlock;
  for (int64_t next = std::ssize(lines_); next <= block; ++next)
    lines_.push_back(lines_.back() + lines_in((next - 1) * kBlock, next * kBlock));
  return lines_[block] + lines_in(block * kBlock, offset);
}

LineScan::LineScan(const InputFile& file, const std::string& separators)
    : file_(file), fields_(separators), window_(file) {
  const std::string_view first = window_.At(0, 1);
  if (first.starts_with("\xFF\xFE") || first.starts_with("\xFE\xFF"))
    throw DataError(file.name(), -1, "is text in UTF-16; save it as UTF-8");
  if (first.starts_with("PK\x03\x04") || first.starts_with("\xD0\xCF\x11\xE0"))
    throw DataError(
        file.name(), -1,
        "is no text, but a zip file or a workbook, such as .xlsx, .ods or .xls; save it as CSV");
  at_ = ByteOrderMark(first);
}

std::optional<ValuePlace> LineScan::Next() {
  int64_t begin = at_;
  bool blank = true;
  while (at_ < file_.size()) {
    const std::string_view bytes = window_.At(at_, 1);
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    blank = blank && fields_.IsEmpty(bytes.substr(0, end));
    at_ += static_cast<int64_t>(end);
    if (at_ - begin > kMaxLineBytes)
      throw DataError(StrCat(file_.name(), ":", LineAt(file_, begin)), -1,
                      StrCat("a line of more than ", kMaxLineBytes, " bytes"));
    if (end == bytes.size() && at_ < file_.size()) continue;  // the line goes on
    const ValuePlace line = {begin, at_ - begin};
    begin = ++at_;
    if (!blank) return line;
    blank = true;
  }
  return {};
}

std::optional<ValuePlace> LineScan::WithQuoted(ValuePlace first) {
  constexpr int kMostLines = 32;
  constexpr int64_t kMostBytes = int64_t{1} << 20;
  std::string text;
  for (int lines = 1;; ++lines) {
    text.resize(static_cast<size_t>(first.size));
    file_.ReadAt(first.offset, text.data(), first.size);
    if (!fields_.EndsInQuotes(text)) return first;
    const std::optional<ValuePlace> next = lines < kMostLines ? Next() : std::nullopt;
    if (!next) return {};
    first.size = next->offset + next->size - first.offset;
    if (first.size > kMostBytes) return {};
  }
}

std::vector<ValuePlace> IndexLines(LineScan scan, int64_t most) {
  std::vector<ValuePlace> lines;
  while (std::ssize(lines) < most) {
    const std::optional<ValuePlace> line = scan.Next();
    if (!line) break;
    lines.push_back(*line);
  }
  return lines;
}

}  // namespace singa
