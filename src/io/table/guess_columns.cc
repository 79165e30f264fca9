#include "io/table/guess_columns.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/lower_case.h"
#include "io/table/line_kind.h"
#include "io/table/table_columns.h"
#include "io/table/table_scan.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr size_t kMostWords = 50;         // of a column that is described by its words
constexpr size_t kMostLookedAt = 10'000;  // columns
constexpr size_t kMostBytesOfWord = 200;  // longer words are texts

// Counts the kinds of fields in a column.
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
      if (number_words_.size() <= kMostWords && !number_words_.contains(field))
        number_words_.emplace(field);
    } else {
      AddWord(field);
    }
  }

  bool IsEmpty() const { return numbers_ + words_ == 0; }

  // Returns the description of a column, without its name; none: it is read as numbers. `id`: it
  // has the name of an id.
  std::optional<GuessedColumn> Describe(bool id) const {
    if (IsEmpty()) return LeftOut("it is empty");
    if (id && integers_ && words_ + gaps_ == 0) return LeftOut("it seems to be an id");
    if (words_ > 2 * numbers_) return OfWords();
    if (gaps_ == 0) return {};
    const double mean = sum_ / static_cast<double>(numbers_);
    return GuessedColumn{{.missing = static_cast<float>(mean)},
                         StrCat("the mean, for ", Counted(gaps_, "empty field"))};
  }

 private:
  static GuessedColumn LeftOut(const std::string& reason) { return {{.leave_out = true}, reason}; }

  // Returns the description of a column of words. Those that hardly repeat, as names and dates do,
  // say nothing about other records.
  GuessedColumn OfWords() const {
    constexpr int64_t kFew = 20;  // records in which most words may be distinct
    std::set<std::string> all = distinct_;
    all.insert(number_words_.begin(), number_words_.end());
    const int64_t records = words_ + numbers_;
    if (broken_) return LeftOut("its words are not in UTF-8");
    if (text_ || all.size() > kMostWords)
      return LeftOut(StrCat("it has more than ", kMostWords, " different words, or long ones"));
    if (records > kFew && 2 * std::ssize(all) > records)
      return LeftOut(StrCat("its words hardly repeat: ", all.size(), " in ", records, " fields"));
    return {{.words = {all.begin(), all.end()}}, Counted(std::ssize(all), "word")};
  }

  void AddWord(std::string_view field) {
    ++words_;
    if (distinct_.size() > kMostWords || text_ || broken_) return;
    std::string word = WithSingleQuotes(field);
    text_ = word.size() > kMostBytesOfWord;
    broken_ = ReplaceInvalidUtf8(word) != word;
    distinct_.insert(std::move(word));
  }

  int64_t gaps_ = 0, numbers_ = 0, words_ = 0;
  double sum_ = 0;
  bool integers_ = true, text_ = false, broken_ = false;
  std::set<std::string> distinct_;                   // words, kMostWords + 1 at most
  std::set<std::string, std::less<>> number_words_;  // numbers, as many at most
};

// Returns whether a header's name is that of an id: a bare one, "user_id", "PassengerId".
bool IsNameOfId(const std::string& name) {
  if (IsBareId(name)) return true;
  if (name.size() < 3 || !LowerCase(name).ends_with("id")) return false;
  const unsigned char before = name[name.size() - 3], first = name[name.size() - 2];
  return !std::isalnum(before) || (std::islower(before) && first == 'I');
}

}  // namespace

bool IsBareId(const std::string& name) {
  const std::string lower = LowerCase(name);
  return lower.empty() || lower == "id" || lower == "index" || lower.starts_with("unnamed: ");
}

std::vector<GuessedColumn> GuessColumns(const StoreOptions& table) {
  TableScan scan(table.path, table.separator, table.header);
  const std::vector<std::string>& names = scan.names();
  const bool chooses = table.has_label || table.targets > 0;
  const int64_t first = chooses ? ColumnIndex(table.label_column, names) : 0;
  const int64_t count = chooses ? std::max<int64_t>(1, table.targets) : 0;
  std::vector<ColumnContent> contents;
  std::vector<std::string_view> fields;
  while (scan.Next(&fields)) {
    if (table.format != ValueFormat::kCsv && KindOfLine(scan.line()) != LineKind::kCsv) return {};
    const size_t columns = std::min(names.empty() ? fields.size() : names.size(), kMostLookedAt);
    if (contents.size() < columns) contents.resize(columns);
    for (size_t at = 0; at < std::min(columns, fields.size()); ++at) contents[at].Add(fields[at]);
  }
  std::vector<GuessedColumn> found;
  for (int64_t at = 0; at < std::ssize(contents); ++at) {
    if (at >= first && at - first < count) continue;
    // Without a header, a separator at the end of each line begins no column.
    if (names.empty() && at + 1 == std::ssize(contents) && contents[at].IsEmpty()) continue;
    std::optional<GuessedColumn> guessed =
        contents[at].Describe(!names.empty() && IsNameOfId(names[at]));
    if (!guessed) continue;
    guessed->column.name = NameInConf(names, at);
    found.push_back(*std::move(guessed));
  }
  return found;
}

std::vector<TableColumn> WithoutReasons(const std::vector<GuessedColumn>& guessed) {
  std::vector<TableColumn> columns;
  columns.reserve(guessed.size());
  for (const GuessedColumn& one : guessed) columns.push_back(one.column);
  return columns;
}

}  // namespace singa
