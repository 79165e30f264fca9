#include "driver/job/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/thread.h"

namespace singa {
namespace {

std::atomic<int> interrupt_code{kExitOk};
std::atomic<bool> leaves_sigint{false};
std::atomic<bool> asked_by_parent{false}, asked_by_others{false};

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// A SIGINT after another signal ends the process at once. Where all processes of a job are asked,
// each gets the signal twice, the second time from its supervisor: that is one request.
void Note(int signal, siginfo_t* info, void*) {
  if (signal == SIGINT && leaves_sigint) return;
  std::atomic<bool>& asked = info->si_pid == ::getppid() ? asked_by_parent : asked_by_others;
  if (asked.exchange(true) && signal == SIGINT) _exit(kExitInterrupted);
  interrupt_code = CodeOfSignal(signal);
}

// The parent sees the signal, as a shell's loop needs; process 1 outlives it.
void End(int signal) {
  std::signal(signal, SIG_DFL);
  ::raise(signal);
  ::_exit(CodeOfSignal(signal));
}

void WaitForSignals(sigset_t signals) {
  for (;;) {
    siginfo_t info = {};
    if (const int signal = sigwaitinfo(&signals, &info); signal > 0) Note(signal, &info, nullptr);
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

void EndOnInterrupts() {
  struct sigaction action = {};
  action.sa_handler = End;
  action.sa_flags = SA_NODEFER;
  for (const int signal : SignalsToTake()) sigaction(signal, &action, nullptr);
}

void HandleInterrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  // A library may have started a thread before main: what it is sent is noted all the same.
  struct sigaction action = {};
  action.sa_sigaction = Note;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int signal : SignalsToTake()) {
    sigaddset(&signals, signal);
    sigaction(signal, &action, nullptr);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread started later
  StartThread([signals] { WaitForSignals(signals); }).detach();
}

void LeaveSigintToOthers() { leaves_sigint = true; }

void Interrupt() {
  asked_by_others = true;
  int none = kExitOk;
  interrupt_code.compare_exchange_strong(none, kExitTerminated);
}

ExitCode InterruptCode() { return static_cast<ExitCode>(interrupt_code.load()); }

}  // namespace singa
