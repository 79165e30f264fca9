// ClassWords are the words that stand for classes in lines of text. The label of a word is its
// place in the list.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/store/store.h"

namespace singa {

class ClassWords {
 public:
  // No words: labels are integers.
  explicit ClassWords(std::vector<std::string> words);

  bool empty() const { return words_.empty(); }
  // Returns the label of a field, quickly; nullopt: it is none of the words, or without words no
  // integer. Two quotes in a field may be one in a word.
  std::optional<int32_t> LabelOf(std::string_view field) const;
  // Returns the error about a field that is none of the words. `what`: "the label"; `list`: what
  // the words are called. The first errors suggest a word. One thread may call.
  std::string NoWordText(const std::string& what, std::string_view field,
                         const std::string& list = "class_names") const;

 private:
  std::vector<std::string> words_;
  std::map<std::string, int32_t, std::less<>> labels_;
  // To compare a field with all words takes milliseconds, and many records may be bad.
  mutable int suggestions_left_ = 32;
};

// Returns the words in the records' labels, as Store::WordsOfLabels describes them. `label_of`
// gives the field of a record's label; nullopt: it has none that is to be looked at.
LabelWords GatherLabelWords(
    int64_t records, int64_t most,
    const std::function<std::optional<std::string>(int64_t record)>& label_of);

// Returns the end of an error about a label that is a word: the words of the first records, as the
// field of a store_conf. Returns "" if `words` has none, or too many to paste.
std::string ClassNamesAdvice(const LabelWords& words);

}  // namespace singa
