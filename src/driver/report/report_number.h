// Numbers of a report, which may not be defined: null in JSON, "-" in a text.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/text/formatted.h"

namespace singa {

// Returns part / whole; none: whole is 0.
inline std::optional<double> RatioOf(double part, double whole) {
  if (whole == 0) return {};
  return part / whole;
}

// Returns -log of a probability; of one that is 0, that of the smallest normal float, as
// kSoftmaxLoss does.
inline double NegativeLog(double probability) {
  return -std::log(std::max<double>(probability, FLT_MIN));
}

inline nlohmann::ordered_json NumberOrNull(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return nullptr;
  return *number;
}

// `format`: of printf, as for Formatted.
inline std::string NumberOrDash(std::optional<double> number, const char* format) {
  return number && std::isfinite(*number) ? Formatted(*number, format) : "-";
}

}  // namespace singa
