// What is said of numbers that are not finite, where a step finds them.
#pragma once

#include <cstdint>
#include <string>

#include "singa/base/str_cat.h"
#include "singa/nn/param.h"

namespace singa {

inline std::string LossNotFiniteText(const std::string& layer, int64_t step) {
  return StrCat("step ", step, ": the loss of layer \"", layer, "\" is not finite");
}
inline std::string GradientNotFiniteText(const Param& param, int64_t step) {
  return StrCat("step ", step, ": the gradient of param \"", param.name(), "\" of layer \"",
                param.layer(), "\" is not finite");
}

}  // namespace singa
