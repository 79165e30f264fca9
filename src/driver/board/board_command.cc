// `singa board` shows workspaces in a browser.
#include <cstdio>
#include <filesystem>

#include "driver/arguments/arguments.h"
#include "driver/board/board_site.h"
#include "driver/command/subcommand.h"
#include "driver/http/http_place.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Throws if `folders` cannot be shown. One that is not there yet may come, if others are there.
void CheckWorkspaces(const std::vector<std::string>& folders) {
  bool found = false;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    const auto status = std::filesystem::status(folder, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
      throw FileError(kExitNoInput, folder, "is a file, not the folder of a workspace");
    found = found || std::filesystem::is_directory(status);
  }
  if (!found) throw FileError(kExitNoInput, folders.front(), "there is no such workspace");
  for (const std::string& folder : folders)
    if (std::error_code ignored; !std::filesystem::exists(folder, ignored))
      std::fprintf(stderr, "singa board: %s is not there yet\n", folder.c_str());
}

int BoardCommand(const CommandLine& line) {
  const Arguments args("board", line.args, {.values = {"host", "port"}});
  if (args.operands().empty()) args.ThrowUsage("board needs a WORKSPACE, or several");
  CheckWorkspaces(args.operands());
  HttpPlace place(args, "singa board", 0);
  BoardSite site(args.operands(), place.token());
  place.Serve(&site, "read these workspaces");
  return kExitOk;
}

constexpr const char* kBoardHelp = R"(usage: singa board WORKSPACE... [-host ADDRESS] [-port N]

Shows workspaces in a browser, while their jobs run or later: curves, the net, processes, checkpoints
and the log. The first line on stdout is the URL of the page. Ctrl-C ends it with 0.

  -host ADDRESS   the address to listen on; 127.0.0.1 if it is not set, which only this machine
                  reaches. With an address that other machines reach, the URL has a secret token,
                  which each request needs.
  -port N         the port; 0, or not set: a free one

  /               the page
  /metrics        the newest numbers in Prometheus' text form
  /api/runs       the workspaces, as JSON
  /api/rows?run=R&after=K
                  rows of metrics from row K on, thinned if there are many
  /api/run?run=R  the net, times of layers, job, checkpoints, log and plan of a workspace

Nothing is written to the workspaces. If one workspace exists, others may be created later.

Exit code 0: stopped; 66: there is no such workspace; 69: this build has no cpp-httplib; 73: the
address or port cannot be used.
)";

SINGA_REGISTER_SUBCOMMAND(board, {.place = 65,
                                  .name = "board",
                                  .operands = "WORKSPACE...",
                                  .brief = "show jobs in a browser, while they run or later",
                                  .reads = Subcommand::kItsOwn,
                                  .options = {},
                                  .alone = true,
                                  .help = kBoardHelp,
                                  .run = BoardCommand});

}  // namespace
}  // namespace singa
