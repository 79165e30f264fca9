// Reading JSON that may be hostile: bounded depth and size, no key twice, no exceptions of the
// library's.
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

// Throws DataError naming `file` where `text` is not one JSON value within the limits.
nlohmann::json ParseJson(std::string_view text, const std::string& file,
                         const JsonLimits& limits = {});

// `text` in quotes for a message: printable ASCII whatever is in it, cut after 100 bytes.
std::string Quote(std::string_view text);

}  // namespace singa
