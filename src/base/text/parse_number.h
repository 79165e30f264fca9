// ParseNumber converts a whole text to a number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace singa {

// Converts as std::from_chars does: decimal digits, which may follow a "-". A float may have a
// point and an exponent, or be "inf" or "nan". nullopt: the text has other characters, such as a
// blank or a "+", or the number is not in Number's range.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return {};
  return number;
}

}  // namespace singa
