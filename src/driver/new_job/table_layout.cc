#include "driver/new_job/table_layout.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "io/table/csv_fields.h"
#include "io/table/table_scan.h"
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

// Returns whether the first line has no number, and a later one has.
bool SeemsHeader(const std::string& path, const std::string& separator) {
  constexpr int kLines = 100;  // to look at
  TableScan scan(path, separator, false);
  std::vector<std::string_view> fields;
  if (!scan.Next(&fields) || std::ranges::any_of(fields, IsNumber)) return false;
  for (int line = 0; line < kLines && scan.Next(&fields); ++line)
    if (std::ranges::any_of(fields, IsNumber)) return true;
  return false;
}

// Adds a note about a number that is written with a comma, which is read as a word.
void TellDecimalComma(const std::string& path, const TableLayout& layout,
                      std::vector<std::string>* notes) {
  constexpr int kLines = 100;  // to look at
  TableScan scan(path, layout.separator, layout.header);
  std::vector<std::string_view> fields;
  for (int line = 0; line < kLines && scan.Next(&fields); ++line) {
    const auto at = std::ranges::find_if(fields, HasDecimalComma);
    if (at == fields.end()) continue;
    notes->push_back(StrCat(FieldText(*at), " in ", ColumnLabel(layout, at - fields.begin()),
                            " is read as a word; write numbers with a point"));
    return;
  }
}

}  // namespace

TableLayout TableLayoutOf(const JobRequest& request, std::vector<std::string>* notes) {
  TableLayout layout = {.separator = request.separator, .header = request.header};
  if (layout.separator.empty()) {
    layout.separator = SeparatorOf(request.data);
    if (layout.separator != ",")
      notes->push_back(StrCat(layout.separator == "\t" ? "tabs" : "\"" + layout.separator + "\"",
                              " separate the fields; -separator S names another character"));
  }
  if (!layout.header && SeemsHeader(request.data, layout.separator)) {
    layout.header = true;
    notes->push_back("the first line names the columns, as it has no number");
  }
  if (layout.header) layout.names = TableScan(request.data, layout.separator, true).names();
  layout.columns =
      layout.header ? std::ssize(layout.names) : WidthOf(request.data, layout.separator).columns;
  if (layout.columns < 2)
    throw DataError(request.data, -1,
                    StrCat("has ", layout.columns, " column",
                           "; a net needs columns to learn from beside the label; -separator S "
                           "names the character between two fields"));
  TellDecimalComma(request.data, layout, notes);
  return layout;
}

std::string ColumnLabel(const TableLayout& layout, int64_t at) {
  const std::string number = StrCat("column ", at + 1);
  if (at >= std::ssize(layout.names)) return number;
  return StrCat(number, ", ", FieldText(layout.names[at]));
}

}  // namespace singa
