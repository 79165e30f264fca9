// Backend "textfile" reads one record per line; lines that are blank, or have only
// separators, are no records. With
// StoreOptions::header the first line that is not blank has the names of the columns.
#include <glog/logging.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/format/csv_fields.h"
#include "io/format/line_index.h"
#include "io/format/value_store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Limits of a header whose names contain line breaks.
constexpr size_t kMostHeaderLines = 32;
constexpr int64_t kMostHeaderBytes = int64_t{1} << 20;

class TextFileStore final : public ValueStore {
 public:
  TextFileStore(InputFile file, std::vector<ValuePlace> lines, std::unique_ptr<ValueParser> parser,
                bool has_header, std::vector<std::string> columns)
      : ValueStore(std::move(file), std::move(lines), std::move(parser)),
        has_header_(has_header),
        columns_(std::move(columns)) {}

  std::vector<std::string> columns() const override { return columns_; }

  std::string Where(int64_t index) const override {
    return StrCat(name(), ":", LineAt(file(), place(index).offset), ": record ", index);
  }

 private:
  std::string Advice(int64_t index, std::string_view line) const override {
    return index > 0 || has_header_ ? "" : FirstLineAdvice(line);
  }

  const bool has_header_;
  const std::vector<std::string> columns_;
};

// Joins the places of a header's lines, as a name in quotes may contain line breaks.
void JoinHeader(const InputFile& file, const std::string& separator,
                std::vector<ValuePlace>* lines) {
  const CsvFields fields(separator);
  ValuePlace header = lines->front();
  size_t count = 1;
  for (std::string text;; ++count) {
    text.resize(header.size);
    file.ReadAt(header.offset, text.data(), header.size);
    if (!fields.EndsInQuotes(text)) break;
    const bool last = count == std::min(lines->size(), kMostHeaderLines);
    if (!last) header.size = (*lines)[count].offset + (*lines)[count].size - header.offset;
    if (last || header.size > kMostHeaderBytes)
      throw ValueError("the header has a quote before a name, and none behind it");
  }
  lines->erase(lines->begin() + 1, lines->begin() + static_cast<int64_t>(count));
  lines->front() = header;
}

// Returns the names of the columns in the line at `place`. `alone`: the file has no other line.
std::vector<std::string> HeaderAt(const InputFile& file, const ValuePlace& place, bool alone,
                                  const StoreOptions& options) {
  std::string line(place.size, '\0');
  file.ReadAt(place.offset, line.data(), place.size);
  if (alone && HasLoneReturn(line)) throw ValueError(kLoneReturns);
  std::vector<std::string> names = ColumnNames(line, options.separator);
  if (options.warns && AreNumbers(names))
    LOG(WARNING) << file.name() << ": its first line has only numbers, and is left out as a header";
  return names;
}

// Puts the names in the order of a sample's numbers, then of its targets. Removes those of columns
// that are no numbers of the sample.
std::vector<std::string> InOrderOfSample(std::vector<std::string> names,
                                         const StoreOptions& options) {
  if (names.empty() || (!options.has_label && options.targets == 0)) return names;
  const auto first = names.begin() + ColumnIndex(options.label_column, names);
  const int64_t count = std::clamp<int64_t>(options.targets, 1, names.end() - first);
  std::rotate(first, first + count, names.end());
  const bool left_out = options.label_fields == LabelFields::kLeftOut;
  if (options.targets == 0 || left_out) names.erase(names.end() - count, names.end());
  return names;
}

std::unique_ptr<Store> OpenTextStore(const StoreOptions& options) {
  InputFile file = InputFile::Open(options.path);
  const int64_t most = options.header ? kMostHeaderLines + 1 : 1;
  std::vector<ValuePlace> lines = IndexLines(
      file, options.first_alone ? most : std::numeric_limits<int64_t>::max(), options.separator);
  int64_t header = 0;  // offset of its line
  try {
    std::vector<std::string> names;
    if (options.header && !lines.empty()) {
      header = lines.front().offset;
      JoinHeader(file, options.separator, &lines);
      names = HeaderAt(file, lines.front(), lines.size() == 1, options);
      lines.erase(lines.begin());
      if (options.first_alone && lines.size() > 1) lines.resize(1);
    }
    if (lines.empty())
      throw DataError(file.name(), -1,
                      options.header ? "holds no record behind its header" : "holds no record");
    auto parser = options.format == ValueFormat::kCsv ? NewCsvParser(options, names)
                                                      : NewTextRecordParser(options, names);
    return std::make_unique<TextFileStore>(std::move(file), std::move(lines), std::move(parser),
                                           options.header,
                                           InOrderOfSample(std::move(names), options));
  } catch (const ValueError& error) {
    throw DataError(StrCat(file.name(), ":", LineAt(file, header)), -1, error.what());
  }
}

SINGA_REGISTER_STORE(textfile, OpenTextStore, .any_format = true, .lines = true, .targets = true,
                     .known_as = "csv tsv txt text");

}  // namespace
}  // namespace singa
