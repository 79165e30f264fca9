// GuessColumns finds out how the columns of a table are to be read.
#pragma once

#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

struct GuessedColumn {
  TableColumn column;
  std::string reason;  // for people, such as "it seems to be an id"
};

// Returns a description of each column that is not simply numbers, in their order, as
// StoreProto.columns has them. The label and the targets have none. A column is left out if it is
// empty, if it has integers and the name of an id, or if it has words that hardly repeat. A column
// with more than twice as many words as numbers holds words. A column of numbers with gaps gets
// their mean for a gap; words in it are mistakes, as in any column of numbers. Reads the whole
// file. Describes none if a line is no CSV, unless table.format says that all are. Throws
// DataError, FileError, and ValueError if there is no such label_column.
std::vector<GuessedColumn> GuessColumns(const StoreOptions& table);

// Returns the columns without the reasons.
std::vector<TableColumn> WithoutReasons(const std::vector<GuessedColumn>& guessed);

// Returns whether a header's name can only be that of an id or an index: "id", "Unnamed: 0", "".
bool IsBareId(const std::string& name);

}  // namespace singa
