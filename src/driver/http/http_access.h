// These functions say which requests a site answers, and in which form it refuses others.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "driver/http/http_site.h"
#include "singa/base/error.h"

namespace singa {

inline constexpr char kJsonType[] = "application/json";
inline constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";  // Prometheus'

// A request that cannot be answered. The site catches it and answers with `status`.
class BadRequest : public Error {
 public:
  // `status`: an HTTP status code.
  BadRequest(int status, const std::string& text) : Error(kExitBug, text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// Returns the text of an answer, a line. Replaces invalid UTF-8.
std::string JsonBody(const nlohmann::ordered_json& value);
HttpAnswer JsonAnswer(std::string body, int status = 200);
// Returns {"error": text}.
HttpAnswer HttpError(int status, const std::string& text);

// Returns whether `host`, a Host header, is an address or a name of loopback. A page of another
// site may make its own name lead to loopback, but a browser then sends that name.
bool IsLoopbackName(const std::string& host);

// Returns whether a header may have the name (RFC 9110, section 5.1).
bool IsHeaderName(std::string_view name);

// Returns a value of the query; "": it is not there.
std::string QueryOf(const HttpRequest& request, const std::string& name);

// AccessRule refuses requests that may come from other sites or other people.
class AccessRule {
 public:
  // `token`: every request needs it; "": the site is for loopback, and serves names of loopback
  // alone.
  explicit AccessRule(std::string token) : token_(std::move(token)) {}

  // Throws BadRequest if a request may not be answered.
  void Check(const HttpRequest& request) const;
  // Makes a browser send the token with its next requests, if this request has it in its URL.
  void SetCookie(const HttpRequest& request, HttpAnswer* answer) const;

 private:
  const std::string token_;
};

// Adds the headers by which a browser keeps an answer from other sites.
void AddSafetyHeaders(HttpAnswer* answer);

}  // namespace singa
