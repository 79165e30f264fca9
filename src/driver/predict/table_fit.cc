#include "driver/predict/table_fit.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text/parse_number.h"
#include "io/table/table_columns.h"
#include "singa/base/str_cat.h"

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

}  // namespace

bool FitTable(const std::vector<std::string>& names, const TableWidth& width, int64_t numbers,
              int64_t targets, StoreOptions* table) {
  std::vector<TableColumn>& columns = table->columns;
  int64_t last = 0;  // the last column that is given by its number
  for (const TableColumn& column : columns)
    last = std::max(last, ParseNumber<int64_t>(column.name).value_or(0));
  if (!names.empty() && last == 0)
    std::erase_if(columns, [&](const TableColumn& column) {
      return column.leave_out && std::ranges::find(names, column.name) == names.end();
    });
  const int64_t chosen = std::max<int64_t>(1, targets);
  const int64_t labelled = ColumnsFor(numbers, columns) + chosen;
  const bool ends_in_gap = names.empty() && width.open && last == labelled;
  const int64_t own = names.empty() ? width.columns + (ends_in_gap ? 1 : 0) : std::ssize(names);
  if (own == labelled || (ends_in_gap && width.columns == labelled)) return true;
  RemoveChosen(chosen, table);
  return false;
}

}  // namespace singa
