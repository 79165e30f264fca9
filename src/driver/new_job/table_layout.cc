#include "driver/new_job/table_layout.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "driver/new_job/plain_numbers.h"
#include "io/store/store.h"
#include "io/table/csv_fields.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the character that cuts the first line into the most fields.
std::string SeparatorOf(const std::string& path) {
  TableScan scan(path, ",", false);
  std::vector<std::string_view> fields;
  if (!scan.Next(&fields)) throw DataError(path, -1, "has no lines");
  std::string best;
  int64_t most = 0;
  for (const char* separator : {",", "\t", ";", "|"}) {
    const int64_t columns = WidthOf(scan.line(), CsvFields(separator)).columns;
    if (columns > most) best = separator;
    most = std::max(most, columns);
  }
  return best;
}

// Signs in the first lines of a table that it has a header.
struct HeaderSigns {
  bool words = false;    // the first line has no number
  bool numbers = false;  // a later line has one
  bool repeats = false;  // a word of the first line comes again in its column
};

HeaderSigns LookForHeader(const std::string& path, const std::string& separator) {
  constexpr int kLines = 100;                       // to look at
  const auto finite = [](std::string_view field) {  // "nan" stands for a gap
    const std::optional<float> number = FloatIn(field);
    return number && std::isfinite(*number);
  };
  TableScan scan(path, separator, false);
  std::vector<std::string_view> fields;
  if (!scan.Next(&fields) || std::ranges::any_of(fields, finite)) return {};
  const std::vector<std::string> first(fields.begin(), fields.end());
  HeaderSigns signs = {.words = true};
  for (int line = 0; line < kLines && !signs.numbers && scan.Next(&fields); ++line) {
    signs.numbers = std::ranges::any_of(fields, finite);
    for (size_t at = 0; at < std::min(first.size(), fields.size()); ++at)
      signs.repeats = signs.repeats || (fields[at] == first[at] && !IsGap(fields[at]));
  }
  return signs;
}

// Finds out whether the first line names the columns, and adds a note unless it has numbers.
bool SeemsHeader(const std::string& path, const std::string& separator,
                 std::vector<std::string>* notes) {
  const HeaderSigns signs = LookForHeader(path, separator);
  if (!signs.words) return false;
  const bool header = signs.numbers || !signs.repeats;
  notes->push_back(signs.numbers ? "the first line names the columns, as it has no number"
                   : header
                       ? "the first line names the columns, as no word of it comes again below it"
                       : "the first line is a record, as a word of it comes again below it; "
                         "-header says that it names the columns");
  return header;
}

// Returns the columns that -leave_out names.
std::set<int64_t> LeftOutColumns(const JobRequest& request, const TableLayout& layout) {
  std::set<int64_t> columns;
  for (const std::string& name : request.leave_out) {
    int64_t at = 0;
    try {
      at = ColumnIndex(name, layout.names, "-leave_out");
    } catch (const ValueError& error) {
      throw DataError(request.data, -1, error.what());
    }
    if (at >= layout.columns)
      throw DataError(request.data, -1,
                      StrCat("has ", Counted(layout.columns, "column"),
                             ", and -leave_out names column ", at + 1));
    columns.insert(at);
  }
  return columns;
}

// Throws if the first lines are not in UTF-8.
void RequireUtf8(const std::string& path, const TableLayout& layout) {
  constexpr int64_t kLines = 10'000;  // to look at
  TableScan scan(path, layout.separator, layout.header);
  std::vector<std::string_view> fields;
  for (int64_t line = 0; line < kLines && scan.Next(&fields); ++line)
    if (ReplaceInvalidUtf8(scan.line()) != scan.line())
      throw DataError(StrCat(path, ":", scan.LineNumber()), line,
                      "has characters that are not in UTF-8; save the table as UTF-8");
}

}  // namespace

TableLayout TableLayoutOf(const JobRequest& request, std::vector<std::string>* notes) {
  TableLayout layout = {.separator = request.separator};
  if (layout.separator.empty()) {
    layout.separator = SeparatorOf(request.data);
    if (layout.separator != ",")
      notes->push_back(StrCat(layout.separator == "\t" ? "tabs" : "\"" + layout.separator + "\"",
                              " separate the fields; -separator S names another character"));
  }
  layout.header = request.header || SeemsHeader(request.data, layout.separator, notes);
  if (layout.header) layout.names = TableScan(request.data, layout.separator, true).names();
  layout.columns =
      layout.header
          ? std::ssize(layout.names)
          : WidthOf(
                {.path = request.data, .format = ValueFormat::kCsv, .separator = layout.separator})
                .columns;
  if (layout.columns < 2)
    throw DataError(request.data, -1,
                    StrCat("has ", layout.columns, " column",
                           "; a net needs columns to learn from beside the label; -separator S "
                           "names the character between two fields"));
  layout.left_out = LeftOutColumns(request, layout);
  RequireUtf8(request.data, layout);
  RequirePlainNumbers(request.data, layout);
  return layout;
}

std::string ColumnLabel(const TableLayout& layout, int64_t at) {
  std::string number = StrCat("column ", at + 1);
  if (at >= std::ssize(layout.names)) return number;
  return StrCat(number, ", ", FieldText(layout.names[at]));
}

}  // namespace singa
