// ElementPath names one value of a list in an error.
#pragma once

#include <cstddef>
#include <string>

#include "singa/base/str_cat.h"

namespace singa {

// Returns the path of value `index`, from 0, of the repeated field `field`: "srclayers",
// "srclayers#1". A message shows the path without the number, at the place of the value.
inline std::string ElementPath(const std::string& field, size_t index) {
  return index == 0 ? field : StrCat(field, "#", index);
}

}  // namespace singa
