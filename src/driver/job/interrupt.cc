#include "driver/job/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace singa {
namespace {

std::atomic<int> interrupt_code{kExitOk};
static_assert(std::atomic<int>::is_always_lock_free);

void OnSignal(int signal) {
  if (signal == SIGINT && interrupt_code.load() != kExitOk) _exit(kExitInterrupted);
  interrupt_code = signal == SIGINT ? kExitInterrupted : kExitTerminated;
}

}  // namespace

void HandleInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

ExitCode InterruptCode() { return static_cast<ExitCode>(interrupt_code.load()); }

}  // namespace singa
