// Lines of the reports of `singa bench`.
#pragma once

#include <string>

#include "base/text/formatted.h"
#include "singa/base/str_cat.h"

namespace singa {

// Returns the line of a time.
inline std::string TimeLine(const char* name, double ms, const std::string& more = "") {
  return StrCat(name, Formatted(ms, "%9.3f ms"), more, "\n");
}

}  // namespace singa
