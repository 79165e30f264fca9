// CheckRange does the range checks of Setup functions.
#pragma once

#include "singa/base/error.h"

namespace singa {

// Throws ConfigError "path: must be RANGE, is VALUE" unless `ok`.
template <typename T>
void CheckRange(bool ok, const char* path, const char* range, T value) {
  if (!ok) throw ConfigError(path, StrCat("must be ", range, ", is ", value));
}

}  // namespace singa
