// Sample is the content of one record.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace singa {

// The label of a record that has none. A stored label may be negative: a loss may ignore it.
inline constexpr int32_t kNoLabel = std::numeric_limits<int32_t>::min();

// A word of a table that its column does not list, and that is read as a gap.
struct UnknownWord {
  int64_t column = 0;      // from 0
  std::string place = {};  // the word in column 3 ("city")
  std::string word = {};
};

// The content of one record, in the store's memory: valid until the store's next Read. Numbers are
// planar (channels, height, width).
struct Sample {
  std::span<const float> data = {};  // used instead of pixel if not empty
  std::span<const uint8_t> pixel = {};
  std::span<const int32_t> shape = {};              // as in the record; may be empty, or not fit
  std::span<const float> targets = {};              // real targets, such as those of a regression
  std::span<const UnknownWord> unknown_words = {};  // only with StoreOptions::reads_unknown_words
  std::string_view id = {};                         // only with StoreOptions::id_column
  int32_t label = kNoLabel;
  bool decoded = false;  // decoded from an image file; shape is the file's

  int64_t size() const { return static_cast<int64_t>(data.empty() ? pixel.size() : data.size()); }
  bool has_label() const { return label != kNoLabel; }
  // Returns whether the shape's product is size(), and not 0.
  bool ShapeFits() const {
    int64_t numbers = 1;
    for (int32_t d : shape) numbers = d > 0 && numbers <= size() ? numbers * d : 0;
    return !shape.empty() && numbers == size() && numbers > 0;
  }
  // Returns an error's text if this is no record of shape `wanted`, else "". The text says that
  // `who` ("the shape says") asks for it. A decoded picture must also have the wanted height and
  // width.
  std::string Misfit(const std::vector<int64_t>& wanted, const std::string& who) const;
  // Returns the end of such a text: the short_side with which a decoded picture of another size
  // fits; "": none does.
  std::string ScalingAdvice(const std::vector<int64_t>& wanted) const;
};

}  // namespace singa
