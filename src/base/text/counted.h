// Counted prints a number with the noun that it counts, for people.
#pragma once

#include <string>

#include "singa/base/str_cat.h"

namespace singa {

// Returns, for example, "1 step" or "2 steps". `many`: the plural, if it is not the singular and an
// s.
template <typename Number>
std::string Counted(Number count, const std::string& one, const std::string& many = "") {
  return StrCat(count, " ", count == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace singa
