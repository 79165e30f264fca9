#include "driver/signals/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/file/unfinished_file.h"
#include "base/thread/clock.h"
#include "base/thread/thread.h"
#include "driver/signals/stop_requests.h"

namespace singa {
namespace {

std::atomic<int> interrupt_code{kExitOk};
std::atomic<bool> leaves_sigint{false}, checkpoint_follows{false};
StopRequests stop_requests;

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void Note(int signal, siginfo_t* info, void*) {
  if (signal == SIGINT && leaves_sigint) return;
  const auto from = info->si_pid == ::getppid() ? StopRequests::Source::kSupervisor
                                                : StopRequests::Source::kOthers;
  const auto meaning = stop_requests.Note(signal, from, SteadyClock().Now());
  if (meaning == StopRequests::Meaning::kEndAtOnce) {
    SayThatItEndsAtOnce();
    RemoveUnfinishedFiles();
    _exit(kExitInterrupted);
  }
  interrupt_code = CodeOfSignal(signal);
  if (meaning == StopRequests::Meaning::kStop && signal == SIGINT && checkpoint_follows)
    SayThatTheJobStops();
}

// Ends by the signal's default action, so that a shell sees the signal. Process 1 survives this and
// exits.
void End(int signal) {
  RemoveUnfinishedFiles();
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
  // Handlers note signals that a thread receives which a library started before main.
  struct sigaction action = {};
  action.sa_sigaction = Note;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int signal : SignalsToTake()) {
    sigaddset(&signals, signal);
    sigaction(signal, &action, nullptr);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // threads started later inherit the mask
  StartThread([signals] { WaitForSignals(signals); }).detach();
}

void LeaveSigintToOthers() { leaves_sigint = true; }

CheckpointFollows::CheckpointFollows() { checkpoint_follows = true; }
CheckpointFollows::~CheckpointFollows() { checkpoint_follows = false; }

void Interrupt() {
  stop_requests.Note(SIGTERM, StopRequests::Source::kOthers, SteadyClock().Now());
  int none = kExitOk;
  interrupt_code.compare_exchange_strong(none, kExitTerminated);
}

ExitCode InterruptCode() { return static_cast<ExitCode>(interrupt_code.load()); }

}  // namespace singa
