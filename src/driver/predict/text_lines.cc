#include "driver/predict/text_lines.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text/counted.h"
#include "driver/predict/table_fit.h"
#include "io/table/table_scan.h"
#include "nn/input/store_settings.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns how many fields the first line has that can be read, past at most `most` bad ones.
int64_t FieldsOf(Store* lines, int64_t most) {
  for (int64_t i = 0;; ++i) {
    try {
      return lines->Read(i).size();
    } catch (const DataError&) {
      if (i >= most || i + 1 == lines->size()) throw;
    }
  }
}

// Returns the number of columns of lines without a header.
int64_t ColumnsOf(const std::string& backend, StoreOptions store, Store* lines,
                  const StoreProto& conf) {
  const int64_t most = MaxBadOf(conf);
  try {
    return FieldsOf(lines, most);
  } catch (const DataError&) {  // perhaps of a label that is a word
    if (store.class_names.empty()) throw;
  }
  store.has_label = true;
  store.label_fields = LabelFields::kLeftOut;
  store.warns = false;
  return FieldsOf(OpenStore(backend, store).get(), most) + 1;
}

// Opens a table whose columns the conf describes.
std::unique_ptr<Store> OpenTable(const std::string& backend, StoreOptions store, int64_t size,
                                 int64_t targets) {
  const std::vector<std::string> names =
      TableScan(store.path, store.separator, store.header).names();
  const TableWidth width = names.empty() ? WidthOf(store.path, store.separator) : TableWidth();
  const bool labels = store.has_label;
  const bool has = FitTable(names, width, size, targets, &store);
  store.has_label = has && targets == 0;
  store.targets = has ? targets : 0;
  store.label_fields = labels ? LabelFields::kMayBeEmpty : LabelFields::kLeftOut;
  return OpenStore(backend, store);
}

}  // namespace

std::unique_ptr<Store> OpenText(const std::string& backend, StoreOptions store, int64_t size,
                                const StoreProto& conf) {
  const int64_t targets = conf.num_targets();
  if (!store.columns.empty()) return OpenTable(backend, std::move(store), size, targets);
  const bool labels = store.has_label;
  store.has_label = false;
  std::unique_ptr<Store> lines = OpenStore(backend, store);
  const auto names = std::ssize(lines->columns());
  if (!labels && names == 0 && store.class_names.empty()) return lines;
  const int64_t columns = names > 0 ? names : ColumnsOf(backend, store, lines.get(), conf);
  if (columns != size + std::max<int64_t>(1, targets)) return lines;
  store.warns = false;  // the first opening did
  store.has_label = targets == 0;
  store.targets = targets;
  store.label_fields = labels ? LabelFields::kMayBeEmpty : LabelFields::kLeftOut;
  try {
    return OpenStore(backend, store);
  } catch (const DataError& error) {  // the header has no such label_column
    throw Error(error.code(), StrCat(error.what(), "; the net takes ", Counted(size, "number"),
                                     ": without a label, a table has ", Counted(size, "column"),
                                     ", and this one has ", columns));
  }
}

}  // namespace singa
