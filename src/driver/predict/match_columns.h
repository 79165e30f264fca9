// MatchColumns makes a table give its columns in the order of the training data.
#pragma once

#include <string>
#include <vector>

#include "driver/predict/record_source.h"
#include "io/store/store.h"

namespace singa {

struct TrainedTable {
  std::vector<std::string> names = {};  // of the header's columns; empty: not known
  bool labelled = true;                 // the label or the targets are among them
};

// Returns what the header of the training's table says, if that file still exists.
TrainedTable TrainedTableOf(const SourceOptions& options);

// Makes `table`, the settings of the training data, read a table whose header has `names` by these
// names. Warns of columns that training does not know, which are then not read; `where` names the
// table. Returns false, and changes nothing, if columns go by position: if they stand as in
// training, or the table lacks one of them or has two of its name. Throws DataError if the table
// has fewer columns than are read, or goes by position and lacks a column that is left out by its
// number.
bool MatchColumns(const TrainedTable& trained, const std::vector<std::string>& names,
                  const std::string& where, StoreOptions* table);

}  // namespace singa
