// ParseJson reads JSON that may be hostile. It bounds depth and size, and rejects repeated keys.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace singa {

struct JsonLimits {
  int depth = 8;
  int64_t values = int64_t{16} << 20;  // a value costs 16 to 100 bytes of memory
};

// Parses `text`. Throws DataError naming `file` if it is not one JSON value within the limits.
nlohmann::json ParseJson(std::string_view text, const std::string& file,
                         const JsonLimits& limits = {});

// Returns `text` in quotes for a message: only printable ASCII, cut after 100 bytes.
std::string Quote(std::string_view text);

}  // namespace singa
