// HttpSite answers HTTP requests. It knows no sockets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace singa {

struct HttpRequest {
  std::string method = "GET", path = {};
  std::map<std::string, std::string> query = {};
  std::string host = {}, cookie = {}, type = {};  // headers; "": not given
  std::string body = {};                          // empty unless the site takes one
};

struct HttpAnswer {
  int status = 200;
  std::string type, body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Any thread may call.
class HttpSite {
 public:
  virtual ~HttpSite() = default;

  virtual HttpAnswer Answer(const HttpRequest& request) = 0;
  // Returns the most bytes that the body of a request may have; 0: its body is not read. The
  // request has no body yet.
  virtual int64_t MostBody(const HttpRequest&) const { return 0; }
  // Called before each answer is sent, also for answers that the server makes itself. `path`: of
  // the request; "": its first line cannot be read.
  virtual void CountAnswer(const std::string& /*path*/, int /*status*/) {}
};

}  // namespace singa
