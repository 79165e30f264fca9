// FitTable adapts the settings of a training table to a table that `singa predict` reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"
#include "io/table/table_scan.h"

namespace singa {

// Returns whether a table has the label of the training data, or their `targets` targets, beside
// what gives `numbers` numbers. `table`: the settings of the training data. If the table has no
// label or targets, columns after them get the numbers that they have without them. If columns are
// given by name, those that are left out and that `names` lacks are removed. `names`: those of the
// table's header; empty: it has none, and its lines have this width.
bool FitTable(const std::vector<std::string>& names, const TableWidth& width, int64_t numbers,
              int64_t targets, StoreOptions* table);

}  // namespace singa
