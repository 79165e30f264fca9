// Checks that several schedules share.
#pragma once

#include <cmath>

#include "base/check_range.h"
#include "singa/train/learning_rate.h"

namespace singa {

// Returns conf.base_lr(), checked.
inline float CheckedBase(const LRGenProto& conf) {
  const float base = conf.base_lr();
  CheckRange(base > 0 && std::isfinite(base), "base_lr", "> 0", base);
  return base;
}

inline void CheckHas(bool has, const char* field, const char* type) {
  if (!has) throw ConfigError(field, StrCat("is missing; type ", type, " needs it"));
}

}  // namespace singa
