// BoardSite answers the requests to `singa board`. It knows no sockets. Any thread may call.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/board/board_run.h"

namespace singa {

struct BoardRequest {
  std::string method = "GET", path = {};
  std::map<std::string, std::string> query = {};
  std::string host = {}, cookie = {};  // headers; "": not given
};

struct BoardAnswer {
  int status = 200;
  std::string type, body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

class BoardSite {
 public:
  // `token`: every request needs it; "": the site is for loopback, and serves names of loopback
  // alone.
  BoardSite(const std::vector<std::string>& workspaces, std::string token);

  BoardAnswer Answer(const BoardRequest& request);

 private:
  using Handler = BoardAnswer (BoardSite::*)(const BoardRequest&);

  // Returns why a request may not be answered; "": it may.
  std::string WhyRefused(const BoardRequest& request) const;
  BoardAnswer File(const BoardRequest& request) const;
  BoardAnswer Runs(const BoardRequest& request);
  BoardAnswer Rows(const BoardRequest& request);
  BoardAnswer Run(const BoardRequest& request);
  BoardAnswer Metrics(const BoardRequest& request);
  BoardRun& Find(const BoardRequest& request);

  const std::string token_;
  std::vector<std::unique_ptr<BoardRun>> runs_;
};

// Returns whether `host`, a Host header, is an address or a name of loopback. A page of another
// site may make its own name lead to loopback, but a browser then sends that name.
bool IsLoopbackName(const std::string& host);

}  // namespace singa
