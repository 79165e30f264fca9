#include "nn/input/column_settings.h"

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "base/text/element_path.h"
#include "base/text/line_blanks.h"
#include "base/text/parse_number.h"
#include "io/table/csv_fields.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Checks the name of a column, or its number.
void CheckName(const StoreProto& conf, const std::string& path, const ColumnProto& column) {
  const std::string& name = column.name();
  const auto fail = [&](const std::string& text) { throw ConfigError(path + ".name", text); };
  if (!column.has_name()) fail("must be a name of the header, or a number from 1");
  const std::optional<int64_t> number = ParseNumber<int64_t>(name);
  if (number && (*number < 1 || *number > kMostColumns))
    fail(StrCat("must be a name, or from 1 to ", kMostColumns, ", is ", *number));
  if (!number && !conf.header())
    fail(
        StrCat("is ", FieldText(name), ", and only a file with header: true has names of columns"));
  const std::string& label = conf.label_column();
  // In a table without the label the numbers of the columns behind it would not be known.
  if (number && !label.empty() && !ParseNumber<int64_t>(label))
    fail("is a number, and label_column is a name: name this column, too");
  if (name == label && !name.empty() && (conf.has_label() || conf.num_targets() > 0))
    fail(StrCat("is ", FieldText(name), ", as label_column; columns is for the data"));
}

void CheckWords(const std::string& path, const ColumnProto& column) {
  std::set<std::string> words;
  for (int i = 0; i < column.words_size(); ++i) {
    const std::string& word = column.words(i);
    const auto fail = [&](const std::string& text) {
      throw ConfigError(ElementPath(path + ".words", i), text);
    };
    if (word.empty()) fail("must not be empty; a gap gives zeros");
    if (word.find('\n') != word.npos) fail("has a line break, and a field is in one line");
    if (WithoutBlanks(word).size() != word.size())
      fail(StrCat("is ", FieldText(word), "; blanks around a field are not read"));
    if (!words.insert(word).second) fail(StrCat("is ", FieldText(word), ", as a word before it"));
  }
}

TableColumn ColumnOf(const StoreProto& conf, const std::string& path, const ColumnProto& column) {
  CheckName(conf, path, column);
  const int said = (column.leave_out() ? 1 : 0) + (column.words().empty() ? 0 : 1) +
                   (column.has_missing() ? 1 : 0);
  if (said != 1)
    throw ConfigError(path, StrCat("must have one of leave_out: true, words and missing, has ",
                                   said == 0 ? "none" : StrCat(said)));
  CheckWords(path, column);
  if (column.has_missing() && !std::isfinite(column.missing()))
    throw ConfigError(path + ".missing", StrCat("must be finite, is ", column.missing()));
  TableColumn read = {.name = column.name(), .leave_out = column.leave_out()};
  read.words.assign(column.words().begin(), column.words().end());
  if (column.has_missing()) read.missing = column.missing();
  return read;
}

}  // namespace

std::vector<TableColumn> ColumnsIn(const StoreProto& conf) {
  std::vector<TableColumn> columns;
  columns.reserve(conf.columns_size());
  std::set<std::string> names;
  for (int i = 0; i < conf.columns_size(); ++i) {
    const std::string path = StrCat("columns[", i, "]");
    columns.push_back(ColumnOf(conf, path, conf.columns(i)));
    if (!names.insert(columns.back().name).second)
      throw ConfigError(path + ".name", StrCat("is ", FieldText(columns.back().name),
                                               ", as in an entry before it"));
  }
  return columns;
}

}  // namespace singa
