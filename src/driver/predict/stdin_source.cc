#include "driver/predict/stdin_source.h"

#include <glog/logging.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/text/counted.h"
#include "driver/predict/match_columns.h"
#include "driver/predict/table_fit.h"
#include "io/store/value_parser.h"
#include "io/table/csv_fields.h"
#include "io/table/csv_parser.h"
#include "io/table/line_index.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class StdinSource final : public RecordSource {
 public:
  StdinSource(const StoreOptions& lines, int64_t size, const TrainedTable& trained)
      : lines_(lines), fields_(lines.separator), size_(size), trained_(trained) {}

  const Sample* Next() override {
    try {
      if (!ReadWords() || (lines_.header && record_ < 0 && IsHeader() && !ReadWords())) {
        if (record_ < 0) LOG(WARNING) << "standard input: holds no record";
        return nullptr;
      }
      ++record_;
      if (!parser_) SetParser();
      const Sample& sample = parser_->Parse(line_);
      if (sample.size() != size_)
        throw ValueError(
            StrCat("holds ", Counted(sample.size(), "number"), ", the net takes ", size_));
      return &sample;
    } catch (const ValueError& error) {
      const bool may_be_header = record_ == 0 && !lines_.header;
      throw DataError(Where(), -1, error.what() + (may_be_header ? FirstLineAdvice(line_) : ""));
    }
  }
  std::string Name() const override { return StrCat("-:", record_); }
  std::string Where() const override {
    const std::string line = StrCat("standard input:", line_number_);
    return record_ < 0 ? line : StrCat(line, ": record ", record_);  // -1: the header
  }

 private:
  // Returns whether the line is a header, and keeps its names. Programs often pipe records alone.
  bool IsHeader() {
    names_ = ColumnNames(line_, lines_.separator);
    if (AreNamesOfColumns(names_)) return true;
    names_.clear();
    return false;
  }

  // Returns whether the fields of a line are no record: where all columns hold numbers, if one is
  // none; else, if one is a name of the conf, or without such names, if no field is a number.
  bool AreNamesOfColumns(const std::vector<std::string>& fields) const {
    if (lines_.columns.empty()) return !AreNumbers(fields);
    bool named = false;
    for (const TableColumn& column : lines_.columns) {
      if (IsNumber(column.name)) continue;
      named = true;
      if (std::ranges::find(fields, column.name) != fields.end()) return true;
    }
    return !named && std::ranges::none_of(fields, IsNumber);
  }

  // Returns the width of the line; 0: it does not matter.
  TableWidth WidthOfLine() const {
    const bool matters = lines_.has_label || !lines_.class_names.empty() || !lines_.columns.empty();
    return matters && names_.empty() ? WidthOf(line_, fields_) : TableWidth();
  }

  void SetParser() {
    StoreOptions options = lines_;
    CheckId(options.id_column, names_, "standard input");
    if (!MatchColumns(trained_, names_, "standard input", &options))
      FitTable(names_, WidthOfLine(), size_, &options);
    try {
      parser_ = NewCsvParser(options, names_);
    } catch (const ValueError& error) {  // the header has no such label_column
      throw Error(kExitBadData, Printable(StrCat(Where(), ": ", error.what())));
    }
  }

  // Reads the next line that is not empty; returns false if there is none.
  bool ReadWords() {
    do {
      if (!ReadLine()) return false;
    } while (fields_.IsEmpty(line_));
    return true;
  }

  bool ReadLine() {
    line_.clear();
    ++line_number_;
    for (int c = getc_unlocked(stdin); c != EOF && c != '\n'; c = getc_unlocked(stdin)) {
      line_ += static_cast<char>(c);
      if (static_cast<int64_t>(line_.size()) > kMaxLineBytes)
        throw Error(kExitBadData, StrCat("standard input:", line_number_, ": a line of more than ",
                                         kMaxLineBytes, " bytes"));  // no record alone is bad
    }
    if (line_number_ == 1) line_.erase(0, static_cast<size_t>(ByteOrderMark(line_)));
    if (std::ferror(stdin)) throw FileError(kExitIo, "standard input", std::strerror(errno));
    return !line_.empty() || !std::feof(stdin);
  }

  const StoreOptions lines_;
  const CsvFields fields_;
  const int64_t size_;
  const TrainedTable trained_;
  std::vector<std::string> names_;       // of the header's columns
  std::unique_ptr<ValueParser> parser_;  // null before the first line
  std::string line_;
  int64_t line_number_ = 0, record_ = -1;
};

}  // namespace

std::unique_ptr<RecordSource> NewStdinSource(const StoreOptions& lines, int64_t size,
                                             const TrainedTable& trained) {
  return std::make_unique<StdinSource>(lines, size, trained);
}

}  // namespace singa
