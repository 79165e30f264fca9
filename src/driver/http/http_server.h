// HttpServer serves an HttpSite by cpp-httplib, which a build may lack.
#pragma once

#include <memory>
#include <string>

#include "driver/http/http_site.h"

namespace singa {

class HttpServer {
 public:
  virtual ~HttpServer() = default;

  virtual int port() const = 0;
  // Returns whether the address that it listens on is of loopback.
  virtual bool loopback() const = 0;
  // Serves until Stop. Then it takes no more requests, and sends the answers to those that it has.
  // Throws Error if the system ends it. Any thread may call Stop, also before Serve.
  virtual void Serve(HttpSite* site) = 0;
  virtual void Stop() = 0;
};

// Listens on `host`, an address or a name, and `port`; 0: a free one. Throws Error
// (kExitCantCreate).
using ListenAt = std::unique_ptr<HttpServer> (*)(const std::string& host, int port);

// The file of the library (serve_httplib.cc) sets it before main. Null: the build lacks the
// library.
inline constinit ListenAt listen_by_httplib = nullptr;

}  // namespace singa
