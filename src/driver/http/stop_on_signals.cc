#include "driver/http/stop_on_signals.h"

#include <pthread.h>

#include "base/thread/thread.h"
#include "driver/job/interrupt.h"

namespace singa {

StopOnSignals::StopOnSignals(HttpServer* server) {
  sigemptyset(&signals_);
  for (const int signal : SignalsToTake()) sigaddset(&signals_, signal);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = StartThread([this, server] {
    int signal = 0;
    sigwait(&signals_, &signal);
    server->Stop();
  });
}

StopOnSignals::~StopOnSignals() {
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

}  // namespace singa
