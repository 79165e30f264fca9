// The messages about a loss or gradient that is not finite.
#pragma once

#include <cstdint>
#include <string>

#include "singa/base/str_cat.h"

namespace singa {

inline std::string LossNotFiniteText(const std::string& layer, int64_t step) {
  return StrCat("step ", step, ": the loss of layer \"", layer, "\" is not finite");
}
// `what`: a ParamText, or the name of a slice.
inline std::string GradientNotFiniteText(const std::string& what, int64_t step) {
  return StrCat("step ", step, ": the gradient of ", what, " is not finite");
}
inline std::string ParamText(const std::string& name, const std::string& layer) {
  return StrCat("param \"", name, "\" of layer \"", layer, "\"");
}
// Returns the message when on_nonfinite is kSkip. `why`: one of the texts above.
inline std::string SkippedText(const std::string& why) {
  return StrCat(why, "; the step is skipped");
}

}  // namespace singa
