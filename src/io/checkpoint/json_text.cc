#include "io/checkpoint/json_text.h"

#include <utility>
#include <vector>

#include "singa/base/error.h"

namespace singa {
namespace {

using nlohmann::json;

// Builds the value from the parser's events; returning false stops the parser.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(const std::string& file, const JsonLimits& limits) : file_(file), limits_(limits) {}

  json Take() { return std::move(root_); }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(json::object()); }
  bool start_array(std::size_t) override { return Open(json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) Fail(StrCat("the key ", Quote(name), " occurs twice"));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    Fail(StrCat("is not JSON (near byte ", position, " of the text)"));
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const { throw DataError(file_, -1, why); }

  json* Place(json value) {
    if (++values_ > limits_.values) Fail(StrCat("has more than ", limits_.values, " JSON values"));
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool Add(json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(json value) {
    if (static_cast<int>(open_.size()) == limits_.depth)
      Fail(StrCat("has JSON nested deeper than ", limits_.depth));
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  const std::string& file_;
  const JsonLimits limits_;
  json root_;
  std::vector<json*> open_;  // from the root to the container being filled
  std::string key_;
  int64_t values_ = 0;
};

}  // namespace

json ParseJson(std::string_view text, const std::string& file, const JsonLimits& limits) {
  Builder builder(file, limits);
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.Take();
}

std::string Quote(std::string_view text) {
  constexpr size_t kMaxBytes = 100;
  std::string head(text.substr(0, kMaxBytes));
  if (text.size() > kMaxBytes) head += "...";
  return json(head).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
}

}  // namespace singa
