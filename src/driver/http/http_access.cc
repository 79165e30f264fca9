#include "driver/http/http_access.h"

#include <arpa/inet.h>
#include <sodium.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text/json_text.h"
#include "base/text/lower_case.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr char kCookie[] = "singa_token";
constexpr char kPolicy[] =
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Compares texts in a time that does not tell where they differ.
bool EqualTexts(const std::string& a, const std::string& b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

// Returns a cookie's value in a Cookie header; "": it has none.
std::string CookieOf(const std::string& header) {
  const std::string name = StrCat(kCookie, "=");
  for (size_t begin = 0; begin < header.size();) {
    while (begin < header.size() && header[begin] == ' ') ++begin;
    const size_t end = std::min(header.find(';', begin), header.size());
    if (header.compare(begin, name.size(), name) == 0)
      return header.substr(begin + name.size(), end - begin - name.size());
    begin = end + 1;
  }
  return "";
}

}  // namespace

std::string JsonBody(const nlohmann::ordered_json& value) { return JsonText(value) + "\n"; }

HttpAnswer JsonAnswer(std::string body, int status) {
  return {status, kJsonType, std::move(body), {{"Cache-Control", "no-store"}}};
}

HttpAnswer HttpError(int status, const std::string& text) {
  return JsonAnswer(JsonBody({{"error", text}}), status);
}

bool IsLoopbackName(const std::string& host) {
  std::string name = host;
  const size_t colon = name.rfind(':');
  if (colon != name.npos && name.find_first_not_of("0123456789", colon + 1) == name.npos)
    name.resize(colon);
  name = LowerCase(name);
  if (name == "localhost" || name == "[::1]") return true;
  in_addr address;
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool IsHeaderName(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
  return !name.empty() && name.find_first_not_of(kAllowed) == name.npos;
}

std::string QueryOf(const HttpRequest& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

void AccessRule::Check(const HttpRequest& request) const {
  if (token_.empty()) {
    if (!IsLoopbackName(request.host)) throw BadRequest{403, "the Host header must name loopback"};
    return;
  }
  if (!EqualTexts(QueryOf(request, "token"), token_) &&
      !EqualTexts(CookieOf(request.cookie), token_))
    throw BadRequest{403, "the URL needs the token that singa has printed: ?token=..."};
}

void AccessRule::SetCookie(const HttpRequest& request, HttpAnswer* answer) const {
  if (!token_.empty() && request.query.contains("token"))
    answer->headers.emplace_back(
        "Set-Cookie", StrCat(kCookie, "=", token_, "; Path=/; HttpOnly; SameSite=Strict"));
}

void AddSafetyHeaders(HttpAnswer* answer) {
  answer->headers.emplace_back("Content-Security-Policy", kPolicy);
  answer->headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer->headers.emplace_back("Referrer-Policy", "no-referrer");
  answer->headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace singa
