// ShortText cuts a text of any length to what a message or a line has room for.
#pragma once

#include <cstddef>
#include <string>

namespace singa {

// Returns `text`, or, if it has more than `most` bytes, `most` bytes at most, with "..." at the end
// and no character of UTF-8 cut in two. REQUIRES: most >= 3.
inline std::string ShortText(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace singa
