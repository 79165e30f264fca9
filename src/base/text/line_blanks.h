// Says which characters of a line of text are blanks. A '\r' is one, as lines may end with "\r\n".
#pragma once

#include <algorithm>
#include <string_view>

namespace singa {

inline constexpr std::string_view kLineBlanks = " \t\r";

inline bool IsLineBlank(char c) { return kLineBlanks.find(c) != kLineBlanks.npos; }

inline bool IsBlankLine(std::string_view line) {
  return line.find_first_not_of(kLineBlanks) == line.npos;
}

// Returns `text` without the blanks before and behind it.
inline std::string_view WithoutBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kLineBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kLineBlanks) + 1);
}

}  // namespace singa
