#include "driver/predict/table_fit.h"

#include <algorithm>
#include <optional>

#include "base/text/parse_number.h"
#include "io/format/table_columns.h"
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

bool FitTable(const std::vector<std::string>& names, int64_t columns, int64_t numbers,
              int64_t targets, StoreOptions* table) {
  if (!names.empty())
    std::erase_if(table->columns, [&](const TableColumn& column) {
      const bool named = !ParseNumber<int64_t>(column.name);
      return column.leave_out && named && std::ranges::find(names, column.name) == names.end();
    });
  const int64_t chosen = std::max<int64_t>(1, targets);
  if (columns == ColumnsFor(numbers, table->columns) + chosen) return true;
  RemoveChosen(chosen, table);
  return false;
}

}  // namespace singa
