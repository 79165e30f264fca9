// RowNumber reads a number of metrics.jsonl, which has names for those that JSON lacks.
#pragma once

#include <limits>
#include <optional>

namespace singa {

// Returns the number, also if it is written as "nan", "inf" or "-inf"; none: it is another value.
template <typename Json>
std::optional<double> RowNumber(const Json& value) {
  if (value.is_number()) return value.template get<double>();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return {};
}

}  // namespace singa
