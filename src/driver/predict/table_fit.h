// FitTable adapts the settings of a training table to a table that `singa predict` reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/store/store.h"
#include "io/table/table_scan.h"

namespace singa {

// Adapts `table`, the settings of the training data, to a table that `singa predict` reads. Returns
// whether it has their label or targets, which are columns beside those that give `numbers`
// numbers. If it has none, the settings have none, and columns behind them get the numbers that
// they have without them. If table->has_label is false, labels or targets that are there are left
// out. Columns that are left out by name, and that `names` lacks, are removed. `names`: those of
// the table's header; empty: it has none, and its lines have this width.
bool FitTable(const std::vector<std::string>& names, const TableWidth& width, int64_t numbers,
              StoreOptions* table);

// Throws Error, exit code 2, if a table whose header has `names` lacks the column `id`, which -id
// names. Without names it must be a number. `id` may be "": none is asked for.
void CheckId(const std::string& id, const std::vector<std::string>& names,
             const std::string& where);

// Makes the settings read the label or targets only if the table `has` them. If table->has_label is
// false, they are left out.
void SetLabel(bool has, StoreOptions* table);

}  // namespace singa
