#include "driver/http/stop_on_signals.h"

#include <pthread.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "base/thread/thread.h"
#include "driver/signals/interrupt.h"
#include "driver/signals/stop_requests.h"

namespace singa {

StopOnSignals::StopOnSignals(HttpServer* server) {
  sigemptyset(&signals_);
  for (const int signal : SignalsToTake()) sigaddset(&signals_, signal);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = StartThread([this, server] {
    StopRequests requests;
    for (int signal = 0; sigwait(&signals_, &signal) == 0 && !ends_;) {
      const auto from = StopRequests::Source::kOthers;
      switch (requests.Note(signal, from, SteadyClock().Now())) {
        case StopRequests::Meaning::kStop:
          server->Stop();
          break;
        case StopRequests::Meaning::kNothingNew:
          break;
        case StopRequests::Meaning::kEndAtOnce:
          ::_exit(kExitInterrupted);
      }
    }
  });
}

StopOnSignals::~StopOnSignals() {
  ends_ = true;
  // The thread blocks this signal, and takes it by sigwait.
  pthread_kill(thread_.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
  thread_.join();
}

}  // namespace singa
