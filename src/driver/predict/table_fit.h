// FitTable adapts the settings of a training table to a table that `singa predict` reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

// Returns whether a table of `columns` columns has the label of the training data, or their
// `targets` targets, beside `numbers` numbers. If it has not, removes them from `table`, the
// settings of the training data: columns behind them get other numbers. A column that is left out
// may be missing: it is removed, too. `names`: those of the table's header; empty: it has none.
bool FitTable(const std::vector<std::string>& names, int64_t columns, int64_t numbers,
              int64_t targets, StoreOptions* table);

}  // namespace singa
