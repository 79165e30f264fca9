#include "driver/data/table_words.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "base/file/input_file.h"
#include "io/table/csv_fields.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the number from 1 of the only column whose field in the first record is a word; 0: no
// column, or several.
size_t OnlyWordColumn(StoreOptions table, size_t columns) {
  size_t only = 0;
  table.first_alone = true;
  for (size_t column = 1; column <= columns; ++column) {
    table.label_column = StrCat(column);
    if (OpenStore("textfile", table)->WordsOfLabels(1).words.empty()) continue;
    if (only > 0) return 0;
    only = column;
  }
  return only;
}

// Returns whether all records can be read, and have `numbers` numbers.
bool IsReadable(Store* store, int64_t numbers) {
  for (int64_t i = 0; i < store->size(); ++i)
    if (store->Read(i).size() != numbers) return false;
  return true;
}

// Returns the store_conf that reads the text of CSV at `path`; "": it does not follow from the
// text. Throws DataError if a record is bad.
std::string StanzaFor(const std::string& path) {
  constexpr size_t kMostColumns = 100, kMostWords = 50;  // to look at, to show
  constexpr int64_t kMostBytes = int64_t{64} << 20;      // to look at: it takes a second
  if (InputFile::Open(path).size() > kMostBytes) return "";
  StoreOptions table = {.path = path,
                        .format = ValueFormat::kCsv,
                        .has_label = false,
                        .header = true,
                        .first_alone = true,
                        .warns = false};
  const std::vector<std::string> names = OpenStore("textfile", table)->columns();
  if (names.size() < 2 || names.size() > kMostColumns) return "";
  table.header = std::ranges::none_of(names, IsNumber);
  table.has_label = true;
  const size_t column = OnlyWordColumn(table, names.size());
  if (column == 0) return "";
  table.label_column = StrCat(column);
  table.first_alone = false;
  table.class_names =
      OpenStore("textfile", table)->WordsOfLabels(std::numeric_limits<int64_t>::max()).words;
  if (table.class_names.empty() || table.class_names.size() > kMostWords) return "";
  if (!IsReadable(OpenStore("textfile", table).get(), std::ssize(names) - 1)) return "";
  return StrCat("store_conf { path: \"", path, "\"", table.header ? " header: true" : "",
                " label_column: \"", column, "\" batchsize: 32 shape: ", names.size() - 1, " ",
                ClassNamesText(table.class_names), " }");
}

// Throws if the first column is read as the label for want of a better one, and seems to be an id.
void CheckLabelColumn(const StoreOptions& options, const std::vector<std::string>& names) {
  if (!options.has_label || options.targets > 0 || !options.label_column.empty()) return;
  if (names.size() < 2 || !IsBareId(names[0])) return;
  throw Error(kExitUsage,
              Printable(StrCat(options.path, ": the first column, ", FieldText(names[0]),
                               ", would be read as the label, and it seems to be an id: name the "
                               "label's column with -label_column, or say -no_labels")));
}

}  // namespace

std::string TableAdvice(const std::string& path) {
  if (path.find_first_of("\"\\") != path.npos) return "";
  try {
    const std::string stanza = StanzaFor(path);
    return stanza.empty() ? "" : "; this reads it: " + Printable(stanza);
  } catch (const Error&) {  // the user sees the error that this advice follows
    return "";
  }
}

std::unique_ptr<Store> OpenWithWords(const std::string& backend, StoreOptions options) {
  std::unique_ptr<Store> store = OpenStore(backend, options);
  if (!options.has_label || options.targets > 0) return store;
  options.class_names = store->WordsOfLabels(std::numeric_limits<int64_t>::max()).words;
  if (options.class_names.empty()) return store;
  options.warns = false;  // the first opening did
  return OpenStore(backend, options);
}

std::vector<GuessedColumn> ColumnsOfTable(const StoreOptions& options) {
  try {
    std::vector<std::string_view> fields;
    TableScan scan(options.path, options.separator, options.header);
    CheckLabelColumn(options, scan.names());
    if (!scan.Next(&fields) || (!options.header && !FirstLineAdvice(scan.line()).empty()))
      return {};
    return GuessColumns(options);
  } catch (const ValueError&) {  // the opening of the store reports it
    return {};
  } catch (const DataError&) {
    return {};
  }
}

std::string WordsText(const Store& store, const std::string& backend) {
  const std::vector<std::string> words = store.classes();
  return words.empty() || TraitsOf(backend).class_folders ? "" : ClassNamesText(words);
}

std::string LinesForConf(const Store& store, const std::string& backend,
                         const std::vector<GuessedColumn>& columns) {
  std::string text;
  for (const GuessedColumn& one : columns)
    text += StrCat(ColumnText(one.column), "  # ", one.reason, "\n");
  const std::string words = WordsText(store, backend);
  if (!words.empty()) text += words + "\n";
  return text.empty() ? "" : "\n" + text;
}

}  // namespace singa
