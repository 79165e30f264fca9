#include "io/format/image_list.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/text/counted.h"
#include "base/text/line_blanks.h"
#include "io/picture/picture_names.h"
#include "io/table/csv_fields.h"
#include "io/value_error.h"

namespace singa {
namespace {

// Cuts the last field, and the blanks before it, off `line`, which ends with it. Returns "" if
// there is only one field.
std::string_view CutLastField(std::string_view* line) {
  const size_t blank = line->find_last_of(kLineBlanks);
  if (blank == line->npos) return "";
  const std::string_view field = line->substr(blank + 1);
  *line = WithoutBlanks(line->substr(0, blank));
  return field;
}

// Cuts all numbers off the end of `line`.
std::string_view WithoutNumbers(std::string_view line) {
  for (std::string_view rest = line; FloatIn(CutLastField(&rest));) line = rest;
  return line;
}

// Returns the name of a picture without the numbers or the word behind it; else `line`.
std::string_view NameIn(std::string_view line) {
  std::string_view before_word = line;
  CutLastField(&before_word);
  for (const std::string_view name : {WithoutNumbers(line), before_word})
    if (HasNameOfAnyPicture(std::string(name))) return name;
  return line;
}

int32_t CutLabel(std::string_view* line, const ClassWords& words) {
  constexpr char kPlace[] = "the label behind the name";
  const std::string_view field = CutLastField(line);
  if (field.empty()) throw ValueError("has no label behind the name of its picture");
  if (const auto label = words.LabelOf(field)) return *label;
  if (!words.empty()) throw ValueError(words.NoWordText(kPlace, field));
  const bool word = !IsNumber(field) && !HasNameOfAnyPicture(std::string(field));
  throw ValueError(StrCat(NoLabelText(kPlace, field), IntegerAdvice(field),
                          word ? "; write classes as numbers from 0, or set class_names" : ""));
}

float CutTarget(std::string_view* line, int64_t index, int64_t targets) {
  const std::string_view field = CutLastField(line);
  if (field.empty())
    throw ValueError(StrCat("has ", Counted(targets - 1 - index, "number"),
                            " behind the name of its picture; num_targets is ", targets));
  const std::optional<float> target = FloatIn(field);
  if (!target || !std::isfinite(*target))
    throw ValueError(
        StrCat("target ", index + 1, " must be a finite number, is ", FieldText(field)));
  return *target;
}

}  // namespace

void ParseListedPicture(std::string_view line, bool has_label, int64_t targets,
                        const ClassWords& words, ListedPicture* picture) {
  constexpr size_t kMostBytes = 4096;  // PATH_MAX of Linux
  line = WithoutBlanks(line);
  picture->label = kNoLabel;
  picture->targets.clear();
  for (int64_t i = targets - 1; i >= 0; --i)
    picture->targets.push_back(CutTarget(&line, i, targets));
  std::reverse(picture->targets.begin(), picture->targets.end());
  if (targets == 0 && has_label) picture->label = CutLabel(&line, words);
  if (targets == 0 && !has_label) line = NameIn(line);
  if (line.empty()) throw ValueError("names no picture");
  if (line.size() > kMostBytes || line.find('\0') != line.npos)
    throw ValueError(StrCat("its ", line.size(), " bytes are no path: ", FieldText(line)));
  picture->name = line;
}

std::optional<int32_t> ListedLabel(std::string_view line, const ClassWords& words) {
  line = WithoutBlanks(line);
  const std::string_view field = CutLastField(&line);
  return field.empty() ? std::nullopt : words.LabelOf(field);
}

std::optional<std::string> LabelFieldOf(std::string_view line) {
  line = WithoutBlanks(line);
  const std::string_view field = CutLastField(&line);
  if (field.empty() || HasNameOfAnyPicture(std::string(field))) return {};
  return std::string(field);
}

std::string MissingAdvice(std::string_view name) {
  if (HasLoneReturn(name)) return StrCat("; ", kLoneReturns);
  if (name.size() > 1 && name.front() == '"' && name.back() == '"')
    return "; a name stands without quotes, also one with blanks";
  if (WithoutNumbers(name) == name) return "";
  return "; a line has one label, or num_targets numbers (singa data: -targets)";
}

bool IsListedPicture(std::string_view line) {
  line = WithoutBlanks(line);
  return line.find('\0') == line.npos && HasNameOfAnyPicture(std::string(NameIn(line)));
}

}  // namespace singa
