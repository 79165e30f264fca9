// GuessColumns finds out how the columns of a table are to be read.
#pragma once

#include <string>
#include <vector>

#include "io/store/store.h"

namespace singa {

// Returns a description of each column that is not simply numbers, in their order, as
// StoreProto.columns has them. The label and the targets have none. A column of
// - integers whose name is that of an id, and words that hardly repeat, are left out;
// - words, and at most half as many numbers, is one of words;
// - numbers with gaps gets its mean for a gap.
// A column with few words among numbers gets no description: the words are mistakes. Reads the
// whole file. Throws DataError, FileError, and ValueError if there is no such label_column.
std::vector<TableColumn> GuessColumns(const StoreOptions& table);

// Returns whether a header's name can only be that of an id or an index: "id", "Unnamed: 0", "".
bool IsBareId(const std::string& name);

}  // namespace singa
