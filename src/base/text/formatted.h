// Formatted prints a number for people.
#pragma once

#include <cstdio>
#include <string>

namespace singa {

// Returns `value` in a format of printf that has one double and a few words, such as "%.1f MB".
inline std::string Formatted(double value, const char* format) {
  char text[400];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Returns a time with three digits, or all digits before the point: "1.25 ms", "1234 ms". A time
// below a microsecond is "0 ms".
inline std::string MsText(double ms) {
  if (ms < 1e-3) return "0 ms";
  return Formatted(ms, ms < 100 ? "%.3g ms" : "%.0f ms");
}

}  // namespace singa
