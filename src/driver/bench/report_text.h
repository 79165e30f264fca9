// Lines of the reports of `singa bench`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/text/formatted.h"
#include "singa/base/str_cat.h"

namespace singa {

// Returns the line of a time.
inline std::string TimeLine(const char* name, double ms, const std::string& more = "") {
  return StrCat(name, Formatted(ms, "%9.3f ms"), more, "\n");
}

// Returns the line of an object. Bytes of names that are not UTF-8 are replaced.
inline std::string JsonLine(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace singa
