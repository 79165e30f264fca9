// Listed makes a text of several names, for people.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Returns "a, b or c".
inline std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i)
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return list;
}

}  // namespace singa
