// Checks that several initializers share.
#pragma once

#include <cmath>

#include "base/check_range.h"
#include "singa/train/initializer.h"

namespace singa {

// Returns conf.value(), checked.
inline float CheckedValue(const ParamGenProto& conf) {
  CheckRange(std::isfinite(conf.value()), "value", "finite", conf.value());
  return conf.value();
}

// The factor of an initializer that does not depend on the shape.
inline double One(const Shape&) { return 1; }

// Throws ConfigError unless a param of `shape` is a matrix, which the Sqrt kinds need.
inline void CheckMatrix(const Shape& shape, const char* type) {
  if (shape.dims() != 2)
    throw ConfigError(
        "type", StrCat(type, " needs a param of two dimensions, this one is ", shape.ToString()));
}

}  // namespace singa
