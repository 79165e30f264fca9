#include "io/format/guess_columns.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text/json_text.h"
#include "base/text/lower_case.h"
#include "base/text/parse_number.h"
#include "io/format/table_columns.h"
#include "io/format/table_scan.h"
#include "io/format/value_parser.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr size_t kMostWords = 50;         // of a column that is described by its words
constexpr size_t kMostLookedAt = 10'000;  // columns
constexpr size_t kMostBytesOfWord = 200;  // longer words are texts

// What the fields of a column hold.
class ColumnContent {
 public:
  void Add(std::string_view field) {
    const std::optional<float> number = FloatIn(field);
    if (IsGap(field)) {
      ++gaps_;
    } else if (number && std::isfinite(*number)) {
      ++numbers_;
      sum_ += *number;
      integers_ = integers_ && std::trunc(*number) == *number;
    } else {
      AddWord(field);
    }
  }

  bool IsEmpty() const { return numbers_ + words_ == 0; }

  // Returns the description of a column, without its name; none: it is read as numbers. `id`: it
  // has the name of an id.
  std::optional<TableColumn> Describe(bool id) const {
    TableColumn column;
    if (IsEmpty() || (id && integers_ && words_ + gaps_ == 0) || (HoldsWords() && AreTexts())) {
      column.leave_out = true;
    } else if (HoldsWords()) {
      column.words.assign(distinct_.begin(), distinct_.end());
    } else if (gaps_ > 0 && words_ == 0) {
      column.missing = static_cast<float>(sum_ / static_cast<double>(numbers_));
    } else {
      return {};
    }
    return column;
  }

 private:
  void AddWord(std::string_view field) {
    ++words_;
    if (distinct_.size() > kMostWords || text_) return;
    std::string word = WithSingleQuotes(field);
    text_ = word.size() > kMostBytesOfWord || ReplaceInvalidUtf8(word) != word;
    distinct_.insert(std::move(word));
  }

  bool HoldsWords() const { return words_ > 2 * numbers_; }

  // Returns whether the words hardly repeat, as names and notes do.
  bool AreTexts() const {
    constexpr int64_t kFew = 20;  // records in which most words may be distinct
    return text_ || distinct_.size() > kMostWords ||
           (words_ > kFew && 2 * std::ssize(distinct_) > words_);
  }

  int64_t gaps_ = 0, numbers_ = 0, words_ = 0;
  double sum_ = 0;
  bool integers_ = true, text_ = false;
  std::set<std::string> distinct_;  // words, kMostWords + 1 at most
};

// Returns whether a header's name is that of an id: a bare one, "user_id", "PassengerId".
bool IsNameOfId(const std::string& name) {
  if (IsBareId(name)) return true;
  if (name.size() < 3 || !LowerCase(name).ends_with("id")) return false;
  const unsigned char before = name[name.size() - 3], first = name[name.size() - 2];
  return !std::isalnum(before) || (std::islower(before) && first == 'I');
}

// Returns the name of column `at` in a conf: its number, if its name is not one or is not its own.
std::string NameInConf(const std::vector<std::string>& names, int64_t at) {
  if (names.empty() || ParseNumber<int64_t>(names[at])) return StrCat(at + 1);
  return std::ranges::count(names, names[at]) == 1 ? names[at] : StrCat(at + 1);
}

}  // namespace

bool IsBareId(const std::string& name) {
  const std::string lower = LowerCase(name);
  return lower.empty() || lower == "id" || lower == "index" || lower.starts_with("unnamed: ");
}

std::vector<TableColumn> GuessColumns(const StoreOptions& table) {
  TableScan scan(table.path, table.separator, table.header);
  const std::vector<std::string>& names = scan.names();
  const bool chooses = table.has_label || table.targets > 0;
  const int64_t first = chooses ? ColumnIndex(table.label_column, names) : 0;
  const int64_t count = chooses ? std::max<int64_t>(1, table.targets) : 0;
  std::vector<ColumnContent> contents;
  std::vector<std::string_view> fields;
  while (scan.Next(&fields)) {
    if (!IsCsv(scan.line())) return {};
    const size_t columns = std::min(names.empty() ? fields.size() : names.size(), kMostLookedAt);
    if (contents.size() < columns) contents.resize(columns);
    for (size_t at = 0; at < std::min(columns, fields.size()); ++at) contents[at].Add(fields[at]);
  }
  std::vector<TableColumn> found;
  for (int64_t at = 0; at < std::ssize(contents); ++at) {
    if (at >= first && at - first < count) continue;
    // Without a header, a separator at the end of each line begins no column.
    if (names.empty() && at + 1 == std::ssize(contents) && contents[at].IsEmpty()) continue;
    std::optional<TableColumn> column =
        contents[at].Describe(!names.empty() && IsNameOfId(names[at]));
    if (!column) continue;
    column->name = NameInConf(names, at);
    found.push_back(*std::move(column));
  }
  return found;
}

}  // namespace singa
