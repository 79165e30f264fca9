// Counted: a number with the noun that it counts, for people.
#pragma once

#include <string>

#include "singa/base/str_cat.h"

namespace singa {

// "1 step", "2 steps". Of a noun whose plural is not its singular and an s, `many` is the plural.
template <typename Number>
std::string Counted(Number count, const std::string& one, const std::string& many = "") {
  return StrCat(count, " ", count == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace singa
