#include "driver/predict/table_fit.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text/parse_number.h"
#include "io/table/csv_fields.h"
#include "io/table/table_columns.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Gives the columns behind the label, or behind `chosen` targets, the numbers that they have in a
// table without it.
void RemoveChosen(int64_t chosen, StoreOptions* table) {
  const std::string& label = table->label_column;
  const std::optional<int64_t> first =
      label.empty() ? std::optional<int64_t>(1) : ParseNumber<int64_t>(label);
  for (TableColumn& column : table->columns) {
    const std::optional<int64_t> number = ParseNumber<int64_t>(column.name);
    if (first && number && *number > *first) column.name = StrCat(*number - chosen);
  }
}

// Returns whether a table with these names, or of this width, has `labelled` columns. `last`: the
// last column that is described by its number.
bool HasColumns(const std::vector<std::string>& names, const TableWidth& width, int64_t labelled,
                int64_t last) {
  if (!names.empty()) return std::ssize(names) == labelled;
  const bool ends_in_gap = width.open && last == labelled;
  return width.columns == labelled || (ends_in_gap && width.columns + 1 == labelled);
}

}  // namespace

bool FitTable(const std::vector<std::string>& names, const TableWidth& width, int64_t numbers,
              StoreOptions* table) {
  std::vector<TableColumn>& columns = table->columns;
  int64_t last = 0;  // the last column that is given by its number
  for (const TableColumn& column : columns)
    last = std::max(last, ParseNumber<int64_t>(column.name).value_or(0));
  if (!names.empty() && last == 0)
    std::erase_if(columns, [&](const TableColumn& column) {
      return column.leave_out && std::ranges::find(names, column.name) == names.end();
    });
  const int64_t chosen = std::max<int64_t>(1, table->targets);
  const bool has = HasColumns(names, width, ColumnsFor(numbers, columns) + chosen, last);
  if (!has) RemoveChosen(chosen, table);
  SetLabel(has, table);
  return has;
}

void CheckId(const std::string& id, const std::vector<std::string>& names,
             const std::string& where) {
  try {
    ColumnIndex(id, names, kIdFlag);
  } catch (const ValueError& error) {
    throw Error(kExitUsage, Printable(StrCat(kIdFlag, ": ", where, ": ", error.what())));
  }
}

void SetLabel(bool has, StoreOptions* table) {
  table->label_fields = table->has_label ? LabelFields::kMayBeEmpty : LabelFields::kLeftOut;
  table->has_label = has && table->targets == 0;
  if (!has) table->targets = 0;
}

}  // namespace singa
