#include "base/text/json_text.h"

namespace singa {

std::string JsonText(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonText(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::json ParsedJson(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

bool IsJson(std::string_view text) { return nlohmann::json::accept(text); }

std::string ReplaceInvalidUtf8(std::string_view text) {
  return ParsedJson(JsonText(nlohmann::json(text))).get<std::string>();
}

}  // namespace singa
