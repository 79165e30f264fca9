// LowerCase makes words comparable whatever their case.
#pragma once

#include <algorithm>
#include <string>

namespace singa {

// Returns `text` with small letters in place of ASCII's capitals.
inline std::string LowerCase(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace singa
