#include "io/table/table_scan.h"

#include <iterator>
#include <optional>

#include "io/store/value_parser.h"
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
  line_.resize(place.size);
  file_.ReadAt(place.offset, line_.data(), std::ssize(line_));
}

TableWidth WidthOf(std::string_view line, const CsvFields& fields) {
  TableWidth width = {.open = fields.EndsInSeparator(line)};
  while (fields.Next(&line)) ++width.columns;
  return width;
}

TableWidth WidthOf(const std::string& path, const std::string& separator) {
  constexpr int kLines = 100;
  const CsvFields cut(separator);
  TableScan scan(path, separator, false);
  TableWidth most;
  std::vector<std::string_view> fields;
  for (int line = 0; line < kLines && scan.Next(&fields); ++line) {
    const TableWidth width = WidthOf(scan.line(), cut);
    if (width.columns > most.columns) most = width;
    most.open = most.open || (width.columns == most.columns && width.open);
  }
  return most;
}

}  // namespace singa
