#include "io/table/class_words.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "base/text/json_text.h"
#include "base/text/short_text.h"
#include "io/table/csv_fields.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kShownBytes = 40;  // of a word in a message

std::string WordText(std::string_view word) {
  return StrCat("\"", ShortText(std::string(word.substr(0, 2 * kShownBytes)), kShownBytes), "\"");
}

}  // namespace

ClassWords::ClassWords(std::vector<std::string> words) : words_(std::move(words)) {
  for (size_t i = 0; i < words_.size(); ++i) labels_.emplace(words_[i], static_cast<int32_t>(i));
}

std::optional<int32_t> ClassWords::LabelOf(std::string_view field) const {
  if (words_.empty()) return LabelFrom(field);
  auto it = labels_.find(field);
  if (it == labels_.end() && field.find("\"\"") != field.npos)
    it = labels_.find(WithSingleQuotes(field));
  return it == labels_.end() ? std::nullopt : std::optional(it->second);
}

std::string ClassWords::NoWordText(const std::string& what, std::string_view field,
                                   const std::string& list) const {
  constexpr size_t kListed = 8, kCompared = 1000;
  std::string text = StrCat(what, " must be one of ", list, ", ");
  for (size_t i = 0; i < std::min(words_.size(), kListed); ++i)
    text += StrCat(i == 0 ? "" : ", ", WordText(words_[i]));
  if (words_.size() > kListed) text += StrCat(" and ", words_.size() - kListed, " more");
  text += ", is " + WordText(field);
  if (suggestions_left_ == 0) return text;
  --suggestions_left_;
  std::vector<std::string> compared;
  for (size_t i = 0; i < std::min(words_.size(), kCompared); ++i)
    compared.push_back(words_[i].substr(0, kShownBytes));
  return text + DidYouMean(std::string(field.substr(0, kShownBytes)), compared);
}

LabelWords GatherLabelWords(
    int64_t records, int64_t most,
    const std::function<std::optional<std::string>(int64_t record)>& label_of) {
  std::set<std::string> words;
  LabelWords found;
  for (; found.records < std::min(records, most); ++found.records) {
    const std::optional<std::string> label = label_of(found.records);
    if (!label || label->empty() || words.contains(*label)) continue;
    if (IsNumber(*label) || label->size() > LabelWords::kMostBytes) return {};
    if (ReplaceInvalidUtf8(*label) != *label) return {};  // no job.conf can name it
    words.insert(*label);
    if (words.size() > LabelWords::kMostWords) return {};
  }
  found.words.assign(words.begin(), words.end());
  found.all = found.records == records;
  return found;
}

std::string ClassNamesAdvice(const LabelWords& found) {
  constexpr size_t kMostPasted = 50;
  if (found.words.empty() || found.words.size() > kMostPasted) return "";
  return StrCat("; the words of ",
                found.all ? "all records" : StrCat("the first ", found.records, " records"),
                " are ", ClassNamesText(found.words));
}

}  // namespace singa
