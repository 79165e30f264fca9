// What the layers say to each other: the window of a step, as kData gives it.
//
// A window has n words, 1 <= n <= max_window, each to be told from those before it. Its feature has
// max_window + 1 rows of kColumns numbers: row 0 is the word before the window, rows 1 to n are its
// words, and the rest are no words.
#pragma once

#include <cstdint>
#include <string>

#include "singa/base/error.h"
#include "singa/tensor/tensor.h"

namespace rnnlm {

enum Column { kWord, kClass, kClassStart, kClassEnd, kColumns };  // as in WordRecord

constexpr int64_t kMostWords = int64_t{1} << 24;  // numbers that a float holds exactly
constexpr float kNoWord = -1;

inline int64_t At(const singa::Tensor& words, int64_t row, Column column) {
  return static_cast<int64_t>(words.data()[row * kColumns + column]);
}

// n.
inline int64_t WindowLength(const singa::Tensor& words) {
  int64_t n = 0;
  while (n + 1 < words.rows() && At(words, n + 1, kWord) != kNoWord) ++n;
  return n;
}

// Throws ConfigError unless the window is one that kData gives: `source` is what the conf calls it.
// What has its shape may be anything.
inline void CheckWindow(const singa::Tensor& words, const std::string& source) {
  const auto whole = [](float number, float least) {
    return number >= least && number < static_cast<float>(kMostWords) + 1 &&
           number == static_cast<float>(static_cast<int64_t>(number));
  };
  for (int64_t row = 0; row < words.rows(); ++row) {
    const float* word = words.data() + row * kColumns;
    if (row > 1 && word[kWord] == kNoWord) return;
    if (whole(word[kWord], 0) && whole(word[kClass], 0) && whole(word[kClassStart], 0) &&
        whole(word[kClassEnd], word[kWord] + 1) && word[kClassStart] <= word[kWord])
      continue;
    throw singa::ConfigError("srclayers",
                             singa::StrCat("source \"", source, "\" must be a kData: its row ", row,
                                           " is no word with its class"));
  }
}

}  // namespace rnnlm
