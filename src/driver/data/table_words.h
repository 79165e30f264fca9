// Words that stand as labels in a store that a command of `singa data` reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/store/store.h"
#include "io/table/guess_columns.h"

namespace singa {

// Opens a store. If its labels are words, they become its classes, in their order as bytes. Throws
// the errors of OpenStore.
std::unique_ptr<Store> OpenWithWords(const std::string& backend, StoreOptions options);

// Returns advice about a text of CSV with commas that cannot be read without settings: the
// store_conf that reads all of it, if exactly one of its columns has words. Else returns "".
std::string TableAdvice(const std::string& path);

// Returns how the columns of a textfile that are not simply numbers are read; empty: all are
// numbers, or the lines are no CSV. Throws Error(kExitUsage) if the label is not said, and its
// column seems to be an id.
std::vector<GuessedColumn> ColumnsOfTable(const StoreOptions& options);

// Returns the words that stand as labels, as class_names of a store_conf; "": there are none.
std::string WordsText(const Store& store, const std::string& backend);

// Returns an empty line and those lines of a store_conf that follow from a store's content,
// `columns` among them; "": there are none.
std::string LinesForConf(const Store& store, const std::string& backend,
                         const std::vector<GuessedColumn>& columns);

}  // namespace singa
