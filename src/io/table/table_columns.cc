#include "io/table/table_columns.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "base/text/json_text.h"
#include "base/text/lower_case.h"
#include "base/text/parse_number.h"
#include "io/table/csv_fields.h"
#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {

int64_t DescribedIndex(const std::string& name, const std::vector<std::string>& names) {
  if (!name.empty()) return ColumnIndex(name, names, "columns.name");
  // Tables that pandas writes begin with a column without a name.
  if (std::ranges::count(names, "") != 1)
    throw ValueError("columns.name is \"\", and not exactly one column has no name");
  return std::ranges::find(names, "") - names.begin();
}

TableColumns::TableColumns(const std::vector<TableColumn>& columns,
                           const std::vector<std::string>& names) {
  for (const TableColumn& column : columns) {
    const int64_t at = DescribedIndex(column.name, names);
    if (!columns_.try_emplace(at, Column{column, ClassWords(column.words)}).second)
      throw ValueError(StrCat("column ", at + 1, " is described twice in columns, as ",
                              FieldText(columns_.at(at).description.name), " and as ",
                              FieldText(column.name)));
    end_ = std::max(end_, at + 1);
  }
}

bool TableColumns::Add(int64_t at, std::string_view field, std::vector<float>* numbers) const {
  const Column& column = columns_.at(at);
  if (column.description.leave_out) return true;
  if (column.words.empty()) {
    if (!column.description.missing || !IsGap(field)) return false;
    numbers->push_back(*column.description.missing);
    return true;
  }
  const std::optional<int32_t> word = column.words.LabelOf(field);
  if (!word && !IsGap(field)) return false;
  numbers->resize(numbers->size() + column.description.words.size(), 0.f);
  if (word) *(numbers->end() - std::ssize(column.description.words) + *word) = 1;
  return true;
}

bool TableColumns::MayBeWord(int64_t at, std::string_view field) const {
  const std::vector<std::string>& words = columns_.at(at).description.words;
  return !words.empty() && (!IsNumber(field) || std::ranges::any_of(words, IsNumber));
}

std::string TableColumns::NoWordText(int64_t at, const std::string& what,
                                     std::string_view field) const {
  const ClassWords& words = columns_.at(at).words;
  return words.empty() ? "" : words.NoWordText(what, field, "words");
}

std::vector<std::string> TableColumns::NamesOf(int64_t at, const std::string& name) const {
  if (!Has(at)) return {name};
  const TableColumn& description = columns_.at(at).description;
  if (description.leave_out) return {};
  if (description.words.empty()) return {name};
  std::vector<std::string> names;
  names.reserve(description.words.size());
  for (const std::string& word : description.words) names.push_back(StrCat(name, "=", word));
  return names;
}

bool IsGap(std::string_view field) {
  constexpr std::array kGaps = {"",    "-",    "?",    "na",   "n/a",
                                "nan", "none", "null", "#n/a", "#div/0!"};
  constexpr size_t kLongest = 7;
  if (field.size() > kLongest) return false;
  if (!field.empty() && std::isdigit(static_cast<unsigned char>(field[0]))) return false;
  return std::ranges::find(kGaps, LowerCase(std::string(field))) != kGaps.end();
}

int64_t ColumnsFor(int64_t numbers, const std::vector<TableColumn>& columns) {
  for (const TableColumn& column : columns) {
    if (column.leave_out)
      ++numbers;
    else if (!column.words.empty())
      numbers -= std::ssize(column.words) - 1;
  }
  return numbers;
}

std::string NameInConf(const std::vector<std::string>& names, int64_t at) {
  std::string number = StrCat(at + 1);
  if (at >= std::ssize(names)) return number;
  const std::string& name = names[at];
  const bool clear = !ParseNumber<int64_t>(name) && std::ranges::count(names, name) == 1 &&
                     ReplaceInvalidUtf8(name) == name;
  return clear ? name : number;
}

std::string ColumnText(const TableColumn& column) {
  std::string text = StrCat("columns { name: ", QuotedText(column.name));
  if (column.leave_out) text += " leave_out: true";
  if (column.missing) text += StrCat(" missing: ", *column.missing);
  if (!column.words.empty()) text += StrCat(" words: ", QuotedList(column.words));
  return text + " }";
}

}  // namespace singa
