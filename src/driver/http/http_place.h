// HttpPlace is where a subcommand serves a site: an address, a port, and a secret token.
#pragma once

#include <memory>
#include <string>

#include "driver/arguments/arguments.h"
#include "driver/http/http_server.h"
#include "driver/http/stop_on_signals.h"

namespace singa {

class HttpPlace {
 public:
  // Listens at -host and -port of `args`; `port` if -port is not given. `command` is the name that
  // messages show. From now on a signal stops Serve, or keeps it from beginning. Throws UsageError,
  // and Error if this build has no cpp-httplib or the place cannot be used.
  HttpPlace(const Arguments& args, std::string command, int port);

  // "": only names of loopback are served, and requests need no token.
  const std::string& token() const { return token_; }
  // Prints the URL and serves until a signal asks to end. `risk`: what people with the token can
  // do. Throws FileError if the URL cannot be written.
  void Serve(HttpSite* site, const std::string& risk);

 private:
  const std::string command_, host_;
  const std::unique_ptr<HttpServer> server_;
  const StopOnSignals stops_;
  std::string token_;
};

}  // namespace singa
