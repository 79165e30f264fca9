#include "driver/predict/text_lines.h"

#include <iterator>
#include <utility>
#include <vector>

#include "base/text/counted.h"
#include "driver/predict/table_fit.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Opens lines whose header may have no such label_column.
std::unique_ptr<Store> OpenByPosition(const std::string& backend, StoreOptions store, int64_t size,
                                      const std::vector<std::string>& names) {
  const bool matters = store.has_label || !store.class_names.empty() || !store.columns.empty();
  const TableWidth width = matters && names.empty() ? WidthOf(store) : TableWidth();
  const bool has = FitTable(names, width, size, &store);
  try {
    return OpenStore(backend, store);
  } catch (const DataError& error) {
    if (!has || names.empty()) throw;
    throw Error(error.code(), StrCat(error.what(), "; the net takes ", Counted(size, "number"),
                                     ": without a label, a table has ",
                                     Counted(ColumnsFor(size, store.columns), "column"),
                                     ", and this one has ", names.size()));
  }
}

}  // namespace

std::unique_ptr<Store> OpenText(const std::string& backend, StoreOptions store, int64_t size,
                                const TrainedTable& trained) {
  const std::vector<std::string> names =
      TableScan(store.path, store.separator, store.header).names();
  CheckId(store.id_column, names, store.path);
  std::unique_ptr<Store> lines = MatchColumns(trained, names, store.path, &store)
                                     ? OpenStore(backend, store)
                                     : OpenByPosition(backend, store, size, names);
  // An error of the first line is one of the opening: the caller knows what was guessed.
  if (!store.skips_bad) lines->Read(0);
  return lines;
}

}  // namespace singa
