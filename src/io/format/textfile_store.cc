// Backend "textfile" reads one record per line; lines that are blank, or have only
// separators, are no records. With
// StoreOptions::header the first line that is not blank has the names of the columns.
#include <glog/logging.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/format/record_parsers.h"
#include "io/format/value_store.h"
#include "io/table/class_words.h"
#include "io/table/csv_fields.h"
#include "io/table/csv_parser.h"
#include "io/table/line_index.h"
#include "io/table/table_columns.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMostAdvised = 1000;  // records whose words an error shows

class TextFileStore final : public ValueStore {
 public:
  TextFileStore(InputFile file, std::vector<ValuePlace> lines, std::unique_ptr<ValueParser> parser,
                const StoreOptions& options, std::vector<std::string> columns)
      : ValueStore(std::move(file), std::move(lines), std::move(parser)),
        has_header_(options.header),
        classes_(options.class_names),
        columns_(std::move(columns)) {}

  std::vector<std::string> classes() const override { return classes_; }
  std::vector<std::string> columns() const override { return columns_; }

  LabelWords WordsOfLabels(int64_t most) override { return WordsOfFirst(most, false); }

  std::string Where(int64_t index) const override {
    return StrCat(name(), ":", lines_.At(file(), place(index).offset), ": record ", index);
  }

 private:
  std::string Advice(int64_t index, std::string_view line) const override {
    std::string first = index > 0 ? "" : HeaderAdvice(line);
    const bool last = parser().LastSeemsLabel(line);
    const std::optional<std::string> label = parser().LabelFieldOf(line, last);
    if (!first.empty() || !label || label->empty() || IsNumber(*label)) return first;
    std::optional<std::string>& advice = words_advice_[last ? 1 : 0];
    if (!advice) advice = ClassNamesAdvice(WordsOfFirst(kMostAdvised, last));
    return *advice;
  }

  // Returns advice if the first line, `line`, seems to be a header; else "".
  std::string HeaderAdvice(std::string_view line) const {
    return has_header_ ? "" : FirstLineAdvice(line);
  }

  // Returns the words in the label's column, or with `last` in the last one.
  LabelWords WordsOfFirst(int64_t most, bool last) const {
    std::string line;
    const auto read = [&](int64_t index) {
      line.resize(place(index).size);
      file().ReadAt(place(index).offset, line.data(), std::ssize(line));
    };
    read(0);
    if (!HeaderAdvice(line).empty()) return {};
    return GatherLabelWords(size(), most, [&](int64_t index) {
      read(index);
      return parser().LabelFieldOf(line, last);
    });
  }

  const bool has_header_;
  const std::vector<std::string> classes_;
  const std::vector<std::string> columns_;
  // Advice about the label's column, and about the last column. It is made once, as many records
  // may be bad.
  mutable std::optional<std::string> words_advice_[2];
  mutable LineCounter lines_;
};

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

// Returns the names of a sample's numbers, then of its targets. `names`: those of the columns.
std::vector<std::string> NamesInSample(const std::vector<std::string>& names,
                                       const StoreOptions& options) {
  std::vector<std::string> numbers, targets;
  if (names.empty()) return numbers;
  const bool chooses = options.has_label || options.targets > 0;
  const int64_t first = chooses ? ColumnIndex(options.label_column, names) : 0;
  const int64_t count = chooses ? std::max<int64_t>(options.targets, 1) : 0;
  const TableColumns columns(options.columns, names);
  std::vector<int64_t> order = options.column_order;
  if (order.empty()) {
    order.resize(names.size());
    std::iota(order.begin(), order.end(), 0);
  }
  for (const int64_t at : order) {
    if (at >= first && at - first < count)
      targets.push_back(names[at]);
    else
      for (std::string& name : columns.NamesOf(at, names[at])) numbers.push_back(std::move(name));
  }
  const bool left_out = options.label_fields == LabelFields::kLeftOut;
  if (options.targets > 0 && !left_out)
    numbers.insert(numbers.end(), targets.begin(), targets.end());
  return numbers;
}

std::unique_ptr<Store> OpenTextStore(const StoreOptions& options) {
  InputFile file = InputFile::Open(options.path);
  LineScan scan(file, options.separator);
  int64_t header = 0;  // offset of its line
  try {
    const std::optional<ValuePlace> first = options.header ? scan.Next() : std::nullopt;
    std::optional<ValuePlace> names_place;
    if (first) {
      header = first->offset;
      names_place = scan.WithQuoted(*first);
      if (!names_place)
        throw ValueError("the header has a quote before a name, and none behind it");
    }
    std::vector<ValuePlace> lines =
        IndexLines(std::move(scan), options.first_alone ? 1 : std::numeric_limits<int64_t>::max());
    std::vector<std::string> names;
    if (names_place) names = HeaderAt(file, *names_place, lines.empty(), options);
    if (lines.empty())
      throw DataError(file.name(), -1,
                      options.header ? "holds no record behind its header" : "holds no record");
    auto parser = options.format == ValueFormat::kCsv ? NewCsvParser(options, names)
                                                      : NewTextRecordParser(options, names);
    return std::make_unique<TextFileStore>(std::move(file), std::move(lines), std::move(parser),
                                           options, NamesInSample(names, options));
  } catch (const ValueError& error) {
    throw DataError(StrCat(file.name(), ":", LineAt(file, header)), -1, error.what());
  }
}

SINGA_REGISTER_STORE(textfile, OpenTextStore, .any_format = true, .lines = true, .targets = true,
                     .known_as = "csv tsv txt text");

}  // namespace
}  // namespace singa
