// These functions check features whose rows are one index each. An index is exact as a float below
// 2^24; -1 is padding.
#pragma once

#include <string>

#include "nn/feature/row_fault.h"
#include "singa/base/error.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Throws ConfigError("srclayers") unless the first source has one number per row.
inline void RequireIndices(const LayerProto& conf, const Port& in) {
  if (in.data.row_size() == 1) return;
  const std::string name = conf.srclayers_size() > 0 ? conf.srclayers(0) : "the first";
  throw ConfigError("srclayers",
                    StrCat("source \"", name, "\" must have one index a row, has the shape ",
                           in.data.shape().ToString()));
}

// Throws ConfigError at `field` if `size` is < 1, or too large for exact indices.
inline void CheckIndexRange(const std::string& field, int64_t size) {
  constexpr int64_t kMost = int64_t{1} << 24;
  if (size < 1 || size > kMost)
    throw ConfigError(field, StrCat("must be from 1 to ", kMost, ", is ", size));
}

// An index is out of range or no whole number.
class IndexError : public RowFault {
 public:
  IndexError(const std::string& layer, int64_t row, float index, int64_t size, bool padding)
      : RowFault(row, StrCat("the index is ", index, ", layer \"", layer, "\" allows 0 to ",
                             size - 1, padding ? " and, for padding, -1" : "")) {}
};

// Throws IndexError unless every index is in [0, size) or, with `padding`, -1.
inline void CheckIndices(const std::string& layer, const Port& in, int64_t size, bool padding) {
  const float* index = in.data.data();
  for (int64_t r = 0; r < in.data.rows(); ++r) {
    // The comparisons come first: NaN and numbers too large for an integer fail them.
    const bool whole = index[r] >= -1 && index[r] < static_cast<float>(size) &&
                       static_cast<float>(static_cast<int64_t>(index[r])) == index[r];
    if (!whole || (index[r] == -1 && !padding)) throw IndexError(layer, r, index[r], size, padding);
  }
}

}  // namespace singa
