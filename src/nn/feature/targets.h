// These functions check the real targets with which a loss compares scores.
#pragma once

#include <string>

#include "nn/feature/row_fault.h"
#include "singa/base/error.h"
#include "singa/nn/port.h"

namespace singa {

// A target is outside [0, 1].
class TargetError : public RowFault {
 public:
  TargetError(const std::string& layer, int64_t row, float target)
      : RowFault(row, StrCat("a target is ", target, ", layer \"", layer, "\" allows 0 to 1")) {}
};

// Throws TargetError for a target outside [0, 1]. NaN is outside.
inline void CheckShares(const std::string& layer, const Port& port) {
  const float* const target = port.data.data();
  for (int64_t i = 0; i < port.data.size(); ++i)
    if (!(target[i] >= 0 && target[i] <= 1))
      throw TargetError(layer, i / port.data.row_size(), target[i]);
}

}  // namespace singa
