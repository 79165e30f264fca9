#include "io/table/table_scan.h"

#include <iterator>
#include <map>
#include <optional>

#include "io/table/line_kind.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {

TableScan::TableScan(const std::string& path, const std::string& separator, bool header)
    : file_(InputFile::Open(path)), fields_(separator), scan_(file_, separator) {
  if (!header) return;
  const std::optional<ValuePlace> first = scan_.Next();
  const std::optional<ValuePlace> place = first ? scan_.WithQuoted(*first) : std::nullopt;
  if (!place) throw DataError(path, -1, "has no header");
  ReadLine(*place);
  try {
    names_ = ColumnNames(line_, separator);
  } catch (const ValueError& error) {
    throw DataError(path, -1, error.what());
  }
}

bool TableScan::Next(std::vector<std::string_view>* fields) {
  const std::optional<ValuePlace> place = scan_.Next();
  if (!place) return false;
  ReadLine(*place);
  fields->clear();
  std::string_view rest = line_;
  while (const auto field = fields_.Next(&rest)) fields->push_back(*field);
  if (fields_.EndsInSeparator(line_)) fields->emplace_back();
  return true;
}

void TableScan::ReadLine(const ValuePlace& place) {
  offset_ = place.offset;
  line_.resize(place.size);
  file_.ReadAt(place.offset, line_.data(), std::ssize(line_));
}

TableWidth WidthOf(std::string_view line, const CsvFields& fields) {
  TableWidth width = {.open = fields.EndsInSeparator(line)};
  while (fields.Next(&line)) ++width.columns;
  return width;
}

TableWidth WidthOf(const StoreOptions& table) {
  constexpr int kLines = 100;
  const CsvFields cut(table.separator);
  TableScan scan(table.path, table.separator, false);
  std::map<int64_t, int> lines;  // of each width
  std::vector<TableWidth> widths;
  std::vector<std::string_view> fields;
  for (int line = 0; line < kLines && scan.Next(&fields); ++line) {
    if (table.format != ValueFormat::kCsv && KindOfLine(scan.line()) != LineKind::kCsv) continue;
    widths.push_back(WidthOf(scan.line(), cut));
    ++lines[widths.back().columns];
  }
  TableWidth usual;
  for (const TableWidth& width : widths)
    if (lines[width.columns] > lines[usual.columns]) usual = width;
  for (const TableWidth& width : widths)
    usual.open = usual.open || (width.columns == usual.columns && width.open);
  return usual;
}

}  // namespace singa
