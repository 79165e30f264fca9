// MatchesPattern compares a name with a pattern of names.
#pragma once

#include <string_view>

namespace singa {

// Returns whether `name` matches `pattern`, in which * stands for any text, also none, and ? for
// one byte. The time grows with the product of both lengths at most.
bool MatchesPattern(std::string_view pattern, std::string_view name);

}  // namespace singa
