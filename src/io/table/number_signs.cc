#include "io/table/number_signs.h"

#include <array>

#include "base/text/line_blanks.h"
#include "io/table/csv_fields.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::string_view kDecimals = "0123456789";

bool IsDigits(std::string_view text) { return text.find_first_not_of(kDecimals) == text.npos; }

// Returns whether the text is groups of three digits, such as 1,234,567.5.
bool IsGrouped(std::string_view text, char group, char point) {
  constexpr size_t kDigitsOfGroup = 3;
  const std::string_view whole = text.substr(0, text.find(point));
  if (whole.size() < text.size() && !IsDigits(text.substr(whole.size() + 1))) return false;
  const size_t first = whole.find(group);
  if (first == 0 || first == whole.npos || first > kDigitsOfGroup) return false;
  for (size_t at = first; at < whole.size(); at += kDigitsOfGroup + 1) {
    const std::string_view digits = whole.substr(at + 1, kDigitsOfGroup);
    if (whole[at] != group || digits.size() < kDigitsOfGroup || !IsDigits(digits)) return false;
  }
  return IsDigits(whole.substr(0, first));
}

// Returns whether the text has commas and would be a number without or with points for them.
bool HasCommas(std::string_view text) {
  return HasDecimalComma(text) || IsGrouped(text, ',', '.') ||
         (text.find(',') != text.npos && IsGrouped(text, '.', ','));
}

// Cuts `sign` off the begin or the end of the text, with the blanks beside it. Returns whether it
// was there.
bool CutOff(std::string_view sign, std::string_view* text) {
  if (text->starts_with(sign))
    text->remove_prefix(sign.size());
  else if (text->ends_with(sign))
    text->remove_suffix(sign.size());
  else
    return false;
  *text = WithoutBlanks(*text);
  return true;
}

void CutMinus(std::string_view* text) {
  if (text->starts_with('-') || text->starts_with('+')) text->remove_prefix(1);
}

}  // namespace

std::vector<std::string> SignsInNumber(std::string_view field) {
  constexpr std::array<std::string_view, 4> kSigns = {"$", "\xE2\x82\xAC", "\xC2\xA3", "%"};
  std::vector<std::string> signs;
  if (field.find_first_of(kDecimals) == field.npos) return signs;
  CutMinus(&field);
  for (const std::string_view sign : kSigns)
    if (CutOff(sign, &field)) signs.emplace_back(sign);
  if (!signs.empty()) CutMinus(&field);
  const bool begins = field.find_first_of(kDecimals) == 0 || field.starts_with('.');
  if (begins && HasCommas(field))
    signs.emplace_back(",");
  else if (!begins || !IsNumber(field))
    signs.clear();
  return signs;
}

std::string SignsText(const std::vector<std::string>& signs) {
  std::string text;
  for (const std::string& sign : signs)
    text += StrCat(text.empty() ? "" : " and ", "\"", sign, "\"");
  return text;
}

}  // namespace singa
