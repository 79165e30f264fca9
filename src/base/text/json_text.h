// JSON values as text, and back. Other files call these functions, as the templates of
// nlohmann::json take seconds to compile wherever they are used.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace singa {

// Returns the text of a value: on one line, or with `indent` spaces for each level. There is no end
// of line. Bytes of strings that are not UTF-8, as names of files may have, are replaced.
std::string JsonText(const nlohmann::json& value, int indent = -1);
std::string JsonText(const nlohmann::ordered_json& value, int indent = -1);

// Returns the value of a text that this program wrote; if it is not JSON, is_discarded() of the
// result is true. For a text that may be hostile see ParseJson (io/checkpoint/json_text.h).
nlohmann::json ParsedJson(std::string_view text);

// Returns whether a text is one JSON value.
bool IsJson(std::string_view text);

// Returns `text` with U+FFFD for each byte that is not UTF-8.
std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace singa
