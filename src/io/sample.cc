#include "io/sample.h"

#include <algorithm>

#include "base/text/counted.h"
#include "singa/base/str_cat.h"

namespace singa {

std::string Sample::Misfit(const std::vector<int64_t>& wanted, const std::string& who) const {
  const size_t n = wanted.size();
  int64_t numbers = 1;
  for (int64_t d : wanted)
    if (__builtin_mul_overflow(numbers, d, &numbers)) numbers = INT64_MAX;
  const bool sides = decoded && n >= 2;
  const bool same_sides = sides && shape[1] == wanted[n - 2] && shape[2] == wanted[n - 1];
  if (size() == numbers && (!sides || same_sides)) return "";
  if (!decoded || same_sides)
    return StrCat("holds ", Counted(size(), "number"), ", ", who, " ", numbers);
  const std::string is =
      StrCat("is a picture of ", shape[2], " x ", shape[1], " pixels, ", who, " ");
  if (!sides) return StrCat(is, Counted(numbers, "number"));
  const bool colour = n > 2 && wanted[0] != 1;
  return StrCat(is, wanted[n - 1], " x ", wanted[n - 2], colour ? " in colour" : "");
}

std::string Sample::ScalingAdvice(const std::vector<int64_t>& wanted) const {
  const size_t n = wanted.size();
  if (!decoded || (n != 2 && n != 3)) return "";
  const int64_t height = wanted[n - 2], width = wanted[n - 1];
  if (shape[1] == height && shape[2] == width) return "";
  return StrCat("; set short_side: ", std::max(height, width), " to scale pictures");
}

}  // namespace singa
