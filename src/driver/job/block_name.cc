#include "driver/job/block_name.h"

namespace singa {

std::string BlockOf(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const size_t dot = name.find_last_of("./");
  if (dot != std::string::npos) {
    // To the last number in front of a dot, else to the last dot.
    for (size_t at = dot; at != std::string::npos && at > 0; at = name.find_last_of("./", at - 1))
      if (is_digit(name[at - 1])) return name.substr(0, at);
    return name.substr(0, dot);
  }
  size_t end = 0;
  while (end < name.size() && !is_digit(name[end])) ++end;
  if (end == name.size()) return "";
  while (end < name.size() && is_digit(name[end])) ++end;
  const size_t word = name.find_first_of("_-", end);
  // A letter behind the number belongs to it in res2a_branch1, and not in a1conv1_x.
  return name.substr(0, word == end + 1 ? word : end);
}

}  // namespace singa
