#include "io/format/textfile_store.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "io/format/scan_window.h"
#include "io/format/value_store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the number, from 1, of the line at `offset`.
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

std::vector<ValuePlace> IndexLines(const InputFile& file, bool first_alone) {
  std::vector<ValuePlace> lines;
  ScanWindow window(file);
  const std::string_view first = window.At(0, 1);
  if (first.starts_with("\xFF\xFE") || first.starts_with("\xFE\xFF"))
    throw DataError(file.name(), -1, "is text in UTF-16; save it as UTF-8");
  int64_t begin = ByteOrderMark(first);
  bool blank = true;
  for (int64_t at = begin; at < file.size();) {
    const std::string_view bytes = window.At(at, 1);
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    blank = blank && bytes.substr(0, end).find_first_not_of(" \t\r") == bytes.npos;
    at += static_cast<int64_t>(end);
    if (at - begin > kMaxLineBytes)
      throw DataError(StrCat(file.name(), ":", LineAt(file, begin)), -1,
                      StrCat("a line of more than ", kMaxLineBytes, " bytes"));
    if (end == bytes.size() && at < file.size()) continue;  // the line goes on
    if (!blank) lines.push_back({begin, at - begin});
    if (first_alone && !blank) break;
    begin = ++at;
    blank = true;
  }
  return lines;
}

// Returns whether the fields of `line` are words, without any number.
bool IsHeader(std::string_view line) {
  constexpr std::string_view kEnds = ",;| \"\t\r";
  bool any = false;
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find_first_of(kEnds, begin), line.size());
    const std::string field(line.substr(begin, end - begin));
    begin = end + 1;
    if (field.empty()) continue;
    char* stop;
    std::strtod(field.c_str(), &stop);
    if (*stop == '\0' || field.find_first_of(":{<") != field.npos) return false;
    any = true;
  }
  return any;
}

class TextFileStore final : public ValueStore {
 public:
  using ValueStore::ValueStore;
  std::string Where(int64_t index) const override {
    return StrCat(name(), ":", LineAt(file(), place(index).offset), ": record ", index);
  }

 private:
  std::string Advice(int64_t index, std::string_view line) const override {
    return index > 0 ? "" : HeaderAdvice(line);
  }
};

std::unique_ptr<Store> OpenTextStore(const StoreOptions& options) {
  return NewTextFileStore(InputFile::Open(options.path),
                          options.format == ValueFormat::kCsv
                              ? NewCsvParser(options.separator, options.has_label, options.targets)
                              : NewTextRecordParser(options),
                          options.first_alone);
}

SINGA_REGISTER_STORE(textfile, OpenTextStore, .any_format = true, .lines = true, .targets = true,
                     .known_as = "csv tsv txt text");

}  // namespace

std::string HeaderAdvice(std::string_view line) {
  return IsHeader(line) ? "; is this line a header? Remove it: every line is a record" : "";
}

int64_t ByteOrderMark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

std::unique_ptr<Store> NewTextFileStore(InputFile file, std::unique_ptr<ValueParser> parser,
                                        bool first_alone) {
  std::vector<ValuePlace> lines = IndexLines(file, first_alone);
  if (lines.empty()) throw DataError(file.name(), -1, "holds no record");
  return std::make_unique<TextFileStore>(std::move(file), std::move(lines), std::move(parser));
}

}  // namespace singa
