#include "io/format/line_index.h"

#include <algorithm>
#include <iterator>

#include "io/format/csv_fields.h"
#include "singa/base/error.h"

namespace singa {

int64_t ByteOrderMark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

int64_t LineAt(const InputFile& file, int64_t offset) {
  ScanWindow window(file);
  int64_t line = 1;
  for (int64_t at = 0; at < offset;) {
    const std::string_view bytes = window.At(at, 1).substr(0, offset - at);
    line += std::count(bytes.begin(), bytes.end(), '\n');
    at += static_cast<int64_t>(bytes.size());
  }
  return line;
}

std::vector<ValuePlace> IndexLines(const InputFile& file, int64_t most,
                                   const std::string& separators) {
  const CsvFields fields(separators);
  std::vector<ValuePlace> lines;
  ScanWindow window(file);
  const std::string_view first = window.At(0, 1);
  if (first.starts_with("\xFF\xFE") || first.starts_with("\xFE\xFF"))
    throw DataError(file.name(), -1, "is text in UTF-16; save it as UTF-8");
  int64_t begin = ByteOrderMark(first);
  bool blank = true;
  for (int64_t at = begin; at < file.size() && std::ssize(lines) < most;) {
    const std::string_view bytes = window.At(at, 1);
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    blank = blank && fields.IsEmpty(bytes.substr(0, end));
    at += static_cast<int64_t>(end);
    if (at - begin > kMaxLineBytes)
      throw DataError(StrCat(file.name(), ":", LineAt(file, begin)), -1,
                      StrCat("a line of more than ", kMaxLineBytes, " bytes"));
    if (end == bytes.size() && at < file.size()) continue;  // the line goes on
    if (!blank) lines.push_back({begin, at - begin});
    begin = ++at;
    blank = true;
  }
  return lines;
}

}  // namespace singa
