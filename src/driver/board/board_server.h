// BoardServer serves a BoardSite by cpp-httplib, which a build may lack.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "driver/board/board_site.h"

namespace singa {

class BoardServer {
 public:
  virtual ~BoardServer() = default;

  virtual int port() const = 0;
  // Returns whether the address that it listens on is of loopback.
  virtual bool loopback() const = 0;
  // Serves until Stop. Throws Error if the system ends it. Any thread may call Stop, also before
  // Serve.
  virtual void Serve(BoardSite* site) = 0;
  virtual void Stop() = 0;
};

// Listens on `host`, an address or a name, and `port`; 0: a free one. Throws Error
// (kExitCantCreate).
using ListenAt = std::unique_ptr<BoardServer> (*)(const std::string& host, int port);

// The file of the library (serve_httplib.cc) sets it before main. Null: the build lacks the
// library.
inline constinit ListenAt listen_by_httplib = nullptr;

}  // namespace singa
