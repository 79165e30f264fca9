// `singa board` shows workspaces in a browser.
#include <pthread.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/file/sha256.h"
#include "base/system/host_name.h"
#include "base/thread/thread.h"
#include "driver/board/board_server.h"
#include "driver/command/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/job/interrupt.h"
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

// Returns the host for a URL: names and addresses as given, this machine's name for "any address".
std::string UrlHost(const std::string& host) {
  if (host == "0.0.0.0" || host == "::") return HostName();
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// While it exists, a signal that asks the program to end stops the server.
class StopOnSignals {
 public:
  explicit StopOnSignals(BoardServer* server) {
    sigemptyset(&signals_);
    for (const int signal : SignalsToTake()) sigaddset(&signals_, signal);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);  // threads started later inherit the mask
    thread_ = StartThread([this, server] {
      int signal = 0;
      sigwait(&signals_, &signal);
      server->Stop();
    });
  }
  ~StopOnSignals() {
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

 private:
  sigset_t signals_;
  std::thread thread_;
};

int BoardCommand(const CommandLine& line) {
  const Arguments args("board", line.args, {.values = {"host", "port"}});
  if (args.operands().empty()) args.ThrowUsage("board needs a WORKSPACE, or several");
  const std::string host = args.Get("host", "127.0.0.1");
  const int port = args.ToNumber<int>("port", args.Get("port", "0"));
  if (port < 0 || port > 65535) args.ThrowUsage(StrCat("-port must be from 0 to 65535, is ", port));
  CheckWorkspaces(args.operands());
  if (!listen_by_httplib)
    throw Error(kExitNoDevice,
                "this build of singa is without cpp-httplib, which `singa board` needs: install "
                "libcpp-httplib-dev, and build again");
  const std::unique_ptr<BoardServer> server = listen_by_httplib(host, port);
  constexpr size_t kTokenBytes = 16;
  const std::string token = server->loopback() ? "" : RandomHex(kTokenBytes);
  BoardSite site(args.operands(), token);
  std::printf("http://%s:%d/%s%s\n", UrlHost(host).c_str(), server->port(),
              token.empty() ? "" : "?token=", token.c_str());
  std::fflush(stdout);
  if (!token.empty())
    std::fprintf(stderr,
                 "singa board: warning: everybody who can reach this machine and has the token can "
                 "read these workspaces; the connection is not encrypted\n");
  const StopOnSignals stops(server.get());
  server->Serve(&site);
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
                  rows of metrics from row K on, thinned where they are many
  /api/run?run=R  the net, job, checkpoints, log and plan of a workspace

Nothing is written to the workspaces. A workspace that is not there yet may come later if another one
is there.

Exit code 0: stopped; 66: there is no such workspace; 69: this build has no cpp-httplib; 73: the
address or port cannot be used.
)";

SINGA_REGISTER_SUBCOMMAND(board, {.place = 65,
                                  .name = "board",
                                  .operands = "WORKSPACE...",
                                  .brief = "shows workspaces in a browser, live",
                                  .reads = Subcommand::kItsOwn,
                                  .options = {},
                                  .alone = true,
                                  .help = kBoardHelp,
                                  .run = BoardCommand});

}  // namespace
}  // namespace singa
