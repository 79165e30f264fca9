#include "driver/new_job/plain_numbers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text/counted.h"
#include "driver/new_job/named_lines.h"
#include "io/table/csv_fields.h"
#include "io/table/number_signs.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// How the fields of a column are written.
struct ColumnNumbers {
  int64_t plain = 0, words = 0;
  NamedLines with_signs;
  std::string example;             // the first one with signs
  std::vector<std::string> signs;  // of all of them

  void Add(std::string_view field, TableScan* scan) {
    if (IsGap(field)) return;
    if (IsNumber(field)) {
      ++plain;
      return;
    }
    const std::vector<std::string> found = SignsInNumber(field);
    if (found.empty()) {
      ++words;
      return;
    }
    if (with_signs.count() == 0) example = field;
    with_signs.Add(scan);
    for (const std::string& sign : found)
      if (std::ranges::find(signs, sign) == signs.end()) signs.push_back(sign);
  }

  bool HasSigns() const { return with_signs.count() > 0 && plain + with_signs.count() > words; }
};

}  // namespace

void RequirePlainNumbers(const std::string& path, const TableLayout& layout) {
  TableScan scan(path, layout.separator, layout.header);
  std::vector<std::string_view> fields;
  std::vector<ColumnNumbers> columns(layout.columns);
  while (scan.Next(&fields))
    for (int64_t at = 0; at < std::min(std::ssize(fields), layout.columns); ++at)
      if (!layout.left_out.contains(at)) columns[at].Add(fields[at], &scan);
  std::string text;
  int64_t line = 0;  // of the first example
  for (int64_t at = 0; at < layout.columns; ++at) {
    const ColumnNumbers& column = columns[at];
    if (!column.HasSigns()) continue;
    if (text.empty()) line = column.with_signs.first();
    text += StrCat(text.empty() ? "" : "; ", ColumnLabel(layout, at), " has numbers with ",
                   SignsText(column.signs), " in ", Counted(column.with_signs.count(), "row"),
                   ", such as ", FieldText(column.example));
  }
  if (!text.empty())
    throw DataError(StrCat(path, ":", line), -1,
                    text + "; write numbers such as 1234.5, or leave such columns out: -leave_out");
}

}  // namespace singa
