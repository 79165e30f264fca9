// Seconds prints a time for a message.
#pragma once

#include <chrono>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>

namespace singa {

// Returns, for example, `3.2 s`.
inline std::string Seconds(int64_t nanoseconds) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << static_cast<double>(nanoseconds) * 1e-9 << " s";
  return std::move(text).str();
}

inline std::string Seconds(std::chrono::nanoseconds time) { return Seconds(time.count()); }

}  // namespace singa
