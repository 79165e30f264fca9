#include "io/table/csv_fields.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "base/text/json_text.h"
#include "base/text/line_blanks.h"
#include "base/text/parse_number.h"
#include "io/sample.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the length of a field in quotes at the start of `line`, with its quotes; 0: the quote
// does not close.
size_t LengthInQuotes(std::string_view line) {
  for (size_t at = 1; at < line.size(); at += 2) {
    at = line.find('"', at);
    if (at == line.npos) return 0;
    if (at + 1 == line.size() || line[at + 1] != '"') return at + 1;
  }
  return 0;
}

std::string_view WithoutQuotes(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return field;
  return WithoutBlanks(field.substr(1, field.size() - 2));
}

// Returns `field` without a "+" before it. "+-1" is no number and stays.
std::string_view WithoutPlus(std::string_view field) {
  return field.size() > 1 && field[0] == '+' && field[1] != '-' ? field.substr(1) : field;
}

// Returns whether the fields of `line` are words, without any number.
bool IsHeader(std::string_view line) {
  constexpr std::string_view kEnds = ",;| \"\t\r";
  bool any = false;
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find_first_of(kEnds, begin), line.size());
    const std::string_view field = line.substr(begin, end - begin);
    begin = end + 1;
    if (field.empty()) continue;
    if (IsNumber(field) || field.find_first_of(":{<") != field.npos) return false;
    any = true;
  }
  return any;
}

// Returns whether a part of the field, which `separator` ends, is a number. Blanks and commas also
// stand in texts, so there the first part must be one.
bool HasNumber(std::string_view field, char separator) {
  const bool first_alone = separator == ' ' || separator == ',';
  for (;;) {
    const size_t end = std::min(field.find(separator), field.size());
    if (IsNumber(WithoutBlanks(field.substr(0, end)))) return true;
    if (first_alone || end == field.size()) return false;
    field.remove_prefix(end + 1);
  }
}

// Returns advice if the header's only name seems to be several.
std::string AdviceForOnly(const std::vector<std::string>& names) {
  return names.size() == 1 ? SeparatorAdvice(names[0], CsvFields(""), true) : "";
}

// Returns the end of an error about a column that the header does not have.
std::string ColumnsLike(const std::string& column, const std::vector<std::string>& names) {
  constexpr size_t kCompared = 1000, kListed = 8, kLength = 40;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(names.size(), kCompared); ++i)
    shown.push_back(names[i].substr(0, kLength));
  std::string text = DidYouMean(column, shown);
  if (!text.empty()) return text;
  for (size_t i = 0; i < std::min(shown.size(), kListed); ++i)
    text += StrCat(i == 0 ? "; there are " : ", ", FieldText(shown[i]));
  return shown.size() > kListed ? StrCat(text, " and ", names.size() - kListed, " more") : text;
}

}  // namespace

CsvFields::CsvFields(const std::string& separator) {
  for (unsigned char c : separator) separates_[c] = true;
}

std::optional<std::string_view> CsvFields::Next(std::string_view* line) const {
  while (!line->empty() && IsSkipped(line->front())) line->remove_prefix(1);
  const size_t length = LengthOfField(*line);
  const std::string_view field = WithoutBlanks(line->substr(0, length));
  const bool last = length == line->size();
  if (field.empty() && last) return {};
  line->remove_prefix(last ? length : length + 1);
  return WithoutQuotes(field);
}

std::optional<std::string_view> CsvFields::FieldAt(std::string_view line, int64_t index) const {
  std::optional<std::string_view> field = Next(&line);
  for (int64_t at = 0; field && at < index; ++at) field = Next(&line);
  return field;
}

bool CsvFields::IsSkipped(char c) const {
  return IsLineBlank(c) && (!Separates(c) || Separates(' '));
}

size_t CsvFields::LengthOfField(std::string_view line) const {
  size_t length = 0;
  if (line.starts_with('"')) {
    length = LengthInQuotes(line);
    if (length == 0) return line.size();
  }
  while (length < line.size() && !Separates(line[length])) ++length;
  return length;
}

bool CsvFields::EndsInSeparator(std::string_view line) const {
  while (!line.empty() && IsSkipped(line.back())) line.remove_suffix(1);
  return !line.empty() && Separates(line.back());
}

bool CsvFields::IsEmpty(std::string_view line) const {
  return std::ranges::all_of(line, [this](char c) { return IsLineBlank(c) || Separates(c); });
}

bool CsvFields::EndsInQuotes(std::string_view text) const {
  for (;;) {
    while (!text.empty() && IsSkipped(text.front())) text.remove_prefix(1);
    if (text.starts_with('"') && LengthInQuotes(text) == 0) return true;
    const size_t length = LengthOfField(text);
    if (length == text.size()) return false;
    text.remove_prefix(length + 1);
  }
}

std::string SeparatorsIn(const std::string& text) {
  std::string separators;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool tab = text.compare(i, 2, "\\t") == 0;
    separators += tab ? '\t' : text[i];
    if (tab) ++i;
  }
  if (separators.empty()) throw ConfigError("separator", "must have a character");
  for (char c : separators)
    if (std::isalnum(static_cast<unsigned char>(c)) ||
        std::string_view("\"'.+-").find(c) != std::string_view::npos)
      throw ConfigError("separator", StrCat("has the character ", c,
                                            "; letters, digits, quotes, \".\", \"+\" and \"-\" "
                                            "cannot separate fields"));
  return separators;
}

std::vector<std::string> ColumnNames(std::string_view header, const std::string& separator) {
  const CsvFields fields(separator);
  std::vector<std::string> names;
  while (const auto field = fields.Next(&header)) {
    if (std::ssize(names) == kMostColumns)
      throw ValueError(StrCat("a header of more than ", kMostColumns, " columns"));
    names.push_back(WithSingleQuotes(*field));
  }
  return names;
}

std::string WithSingleQuotes(std::string_view field) {
  std::string text;
  for (size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field.substr(i, 2) == "\"\"") ++i;
  }
  return text;
}

std::optional<float> FloatIn(std::string_view field) {
  float number = 0;
  field = WithoutPlus(field);
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  if (stop != end || error == std::errc::invalid_argument) return {};
  // from_chars gives no value for a number that is too small or too large for a float.
  if (error == std::errc::result_out_of_range)
    number = std::strtof(std::string(field).c_str(), nullptr);
  return number;
}

bool HasDecimalComma(std::string_view field) {
  constexpr std::string_view kDigits = "0123456789";
  if (field.starts_with('-') || field.starts_with('+')) field.remove_prefix(1);
  const size_t comma = field.find_first_not_of(kDigits);
  if (comma == 0 || comma == field.npos || field[comma] != ',') return false;
  return comma + 1 < field.size() && field.find_first_not_of(kDigits, comma + 1) == field.npos;
}

bool IsWord(std::string_view field) {
  return !field.empty() && std::isalpha(static_cast<unsigned char>(field[0]));
}

std::optional<int32_t> LabelFrom(std::string_view field) {
  const std::optional<int32_t> label = ParseNumber<int32_t>(WithoutPlus(field));
  return label == kNoLabel ? std::nullopt : label;
}

std::string NoLabelText(const std::string& what, std::string_view field) {
  return StrCat(what, " must be an integer from ", kNoLabel + 1, " to ",
                std::numeric_limits<int32_t>::max(), ", is ", FieldText(field));
}

std::string IntegerAdvice(std::string_view field) {
  const std::optional<float> number = FloatIn(field);
  const bool whole = number && std::isfinite(*number) && std::trunc(*number) == *number;
  const bool written_so = field.find_first_of(".eE") == field.npos;
  return whole && !written_so ? "; write classes as integers" : "";
}

bool AreNumbers(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, IsNumber);
}

int64_t ColumnIndex(const std::string& column, const std::vector<std::string>& names,
                    const std::string& setting) {
  if (column.empty()) return 0;
  const std::optional<int64_t> number = ParseNumber<int64_t>(column);
  if (number && *number >= 1 && (names.empty() || *number <= std::ssize(names))) return *number - 1;
  if (names.empty())
    throw ValueError(
        StrCat(setting, " must be a number from 1 if there is no header, is ", FieldText(column)));
  if (number)
    throw ValueError(StrCat("the header has ", Counted(std::ssize(names), "column"), ", ", setting,
                            " is ", *number, AdviceForOnly(names)));
  const auto first = std::find(names.begin(), names.end(), column);
  if (first == names.end())
    throw ValueError(StrCat("the header has no column ", FieldText(column),
                            ColumnsLike(column, names), AdviceForOnly(names)));
  if (std::find(first + 1, names.end(), column) != names.end())
    throw ValueError(StrCat("the header has two columns ", FieldText(column), "; give ", setting,
                            " as a number"));
  return first - names.begin();
}

std::string SeparatorAdvice(std::string_view field, const CsvFields& fields, bool words) {
  for (char other : {';', '\t', ' ', '|', ','}) {
    if (field.find(other) == field.npos || fields.Separates(other)) continue;
    const bool sure = words && other != ' ' && other != ',';
    if (!sure && !HasNumber(field, other)) continue;
    const std::string name = other == '\t' ? "\"\\t\"" : StrCat("\"", other, "\"");
    const std::string shown = other == '\t' ? "tabs" : other == ' ' ? "spaces" : name;
    return StrCat("; the fields seem to be separated by ", shown, ": then set separator: ", name,
                  " (singa data: -separator ", name, ")");
  }
  return "";
}

bool HasLoneReturn(std::string_view line) {
  const size_t at = line.find('\r');
  return at != line.npos && !IsBlankLine(line.substr(at));
}

std::string FirstLineAdvice(std::string_view line) {
  if (HasLoneReturn(line)) return StrCat("; ", kLoneReturns);
  if (!IsHeader(line)) return "";
  return "; is this line a header? Then set header: true (singa data: -header)";
}

std::string FieldText(std::string_view field) {
  constexpr size_t kMost = 40;  // bytes
  size_t end = std::min(field.size(), kMost);
  while (end < field.size() && end > 0 && (static_cast<unsigned char>(field[end]) & 0xC0) == 0x80)
    --end;  // no character of UTF-8 is cut in two
  const std::string shown(field.substr(0, end));
  const bool utf8 = ReplaceInvalidUtf8(shown) == shown;
  std::string text = "\"";
  for (const char c : shown) {
    const bool ascii = static_cast<unsigned char>(c) < 127;
    text += (ascii ? c >= ' ' : utf8 && c != 127) ? c : '?';
  }
  return text + (end < field.size() ? "...\"" : "\"");
}

}  // namespace singa
