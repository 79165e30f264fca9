#include "driver/job/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/thread.h"

namespace singa {
namespace {

std::atomic<int> interrupt_code{kExitOk};
std::atomic<bool> leaves_sigint{false};

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void Note(int signal) {
  if (signal == SIGINT && leaves_sigint) return;
  if (signal == SIGINT && interrupt_code != kExitOk) _exit(kExitInterrupted);
  interrupt_code = CodeOfSignal(signal);
}

void WaitForSignals(sigset_t signals) {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) == 0) Note(signal);
  }
}

}  // namespace

std::vector<int> SignalsToTake() {
  std::vector<int> signals;
  for (const int signal : kAskingSignals) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      signals.push_back(signal);
  }
  return signals;
}

ExitCode CodeOfSignal(int signal) { return signal == SIGINT ? kExitInterrupted : kExitTerminated; }

void HandleInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  // A library may have started a thread before main: what it is sent is noted all the same.
  struct sigaction action = {};
  action.sa_handler = Note;
  action.sa_flags = SA_RESTART;
  for (const int signal : SignalsToTake()) {
    sigaddset(&signals, signal);
    sigaction(signal, &action, nullptr);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread started later
  StartThread([signals] { WaitForSignals(signals); }).detach();
}

void LeaveSigintToOthers() { leaves_sigint = true; }

void Interrupt() {
  int none = kExitOk;
  interrupt_code.compare_exchange_strong(none, kExitTerminated);
}

ExitCode InterruptCode() { return static_cast<ExitCode>(interrupt_code.load()); }

}  // namespace singa
