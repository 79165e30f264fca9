#include "driver/http/stop_on_signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <future>

#include "singa/base/error.h"

namespace singa {
namespace {

// A server that only notes that it is stopped.
class NotingServer final : public HttpServer {
 public:
  int port() const override { return 1; }
  bool loopback() const override { return true; }
  void Serve(HttpSite*) override { stopped_.get_future().wait(); }
  void Stop() override { stopped_.set_value(); }

 private:
  std::promise<void> stopped_;
};

// Signals are sent to a process of their own.
TEST(StopOnSignalsTest, ASignalStopsTheServerOnce) {
  EXPECT_EXIT(
      {
        NotingServer server;
        {
          const StopOnSignals stops(&server);
          ::kill(::getpid(), SIGTERM);
          server.Serve(nullptr);
          ::kill(::getpid(), SIGTERM);
        }
        std::_Exit(kExitOk);
      },
      testing::ExitedWithCode(kExitOk), "");
}

TEST(StopOnSignalsTest, ALaterInterruptEndsTheProgramAtOnce) {
  EXPECT_EXIT(
      {
        NotingServer server;
        const StopOnSignals stops(&server);
        for (;;) ::kill(::getpid(), SIGINT);
      },
      testing::ExitedWithCode(kExitInterrupted), "");
}

}  // namespace
}  // namespace singa
