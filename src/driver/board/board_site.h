// BoardSite answers the requests to `singa board`. Any thread may call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/board/board_run.h"
#include "driver/http/http_access.h"
#include "driver/http/http_site.h"

namespace singa {

class BoardSite final : public HttpSite {
 public:
  // `token`: every request needs it; "": the site is for loopback, and serves names of loopback
  // alone.
  BoardSite(const std::vector<std::string>& workspaces, std::string token);

  HttpAnswer Answer(const HttpRequest& request) override;

 private:
  using Handler = HttpAnswer (BoardSite::*)(const HttpRequest&);

  HttpAnswer File(const HttpRequest& request) const;
  HttpAnswer Runs(const HttpRequest& request);
  HttpAnswer Rows(const HttpRequest& request);
  HttpAnswer Run(const HttpRequest& request);
  HttpAnswer Metrics(const HttpRequest& request);
  BoardRun& Find(const HttpRequest& request);

  const AccessRule access_;
  std::vector<std::unique_ptr<BoardRun>> runs_;
};

}  // namespace singa
