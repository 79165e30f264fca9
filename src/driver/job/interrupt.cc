#include "driver/job/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace singa {
namespace {

std::atomic<int> interrupt_code{kExitOk};
std::atomic<bool> leaves_sigint{false};

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void Note(int signal) {
  if (signal == SIGINT && leaves_sigint) return;
  if (signal == SIGINT && interrupt_code != kExitOk) _exit(kExitInterrupted);
  interrupt_code = signal == SIGINT ? kExitInterrupted : kExitTerminated;
}

void WaitForSignals(sigset_t signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) == 0) Note(signal);
  }
}

}  // namespace

void HandleInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // A library may have started a thread before main: what it is sent is noted all the same.
  struct sigaction action = {};
  action.sa_handler = Note;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread started later
  std::thread(WaitForSignals, signals).detach();
}

void LeaveSigintToOthers() { leaves_sigint = true; }

void Interrupt() {
  int none = kExitOk;
  interrupt_code.compare_exchange_strong(none, kExitTerminated);
}

ExitCode InterruptCode() { return static_cast<ExitCode>(interrupt_code.load()); }

}  // namespace singa
