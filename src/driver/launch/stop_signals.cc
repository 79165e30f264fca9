#include "driver/launch/stop_signals.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "driver/signals/interrupt.h"

namespace singa {
namespace {

std::atomic<int> told{-1};  // descriptor to which the handler writes

static_assert(std::atomic<int>::is_always_lock_free);

// Signal handler. Any thread may run it, also one that a library has started.
void Tell(int signal) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(signal);
  if (::write(told, &byte, 1) < 0) {
    // The pipe is full of signals that were not taken, so one more is not needed.
  }
  errno = saved;
}

}  // namespace

StopSignals::StopSignals(const Clock* clock) : clock_(clock ? *clock : steady_) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(kExitCantCreate, StrCat("cannot make a pipe: ", std::strerror(errno)));
  read_ = Descriptor(ends[0]);
  write_ = Descriptor(ends[1]);
  CHECK_EQ(told.exchange(write_.get()), -1) << "signals are taken already";
  struct sigaction action = {};
  action.sa_handler = Tell;
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  sigset_t taken;
  sigemptyset(&taken);
  std::vector<int> signals = SignalsToTake();
  signals.push_back(SIGCHLD);
  for (const int signal : signals) {
    sigaddset(&taken, signal);
    before_.emplace_back(signal, action);
    sigaction(signal, &action, &before_.back().second);
  }
  pthread_sigmask(SIG_UNBLOCK, &taken, &blocked_);
}

StopSignals::~StopSignals() {
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  for (const auto& [signal, action] : before_) sigaction(signal, &action, nullptr);
  told = -1;
}

int StopSignals::Take() {
  using Meaning = StopRequests::Meaning;
  unsigned char signal = 0;
  while (::read(read_.get(), &signal, 1) == 1) {
    if (signal == SIGCHLD) continue;
    const Meaning meaning = requests_.Note(signal, StopRequests::Source::kOthers, clock_.Now());
    if (meaning == Meaning::kNothingNew && signal == SIGINT) continue;
    at_once_ = at_once_ || meaning == Meaning::kEndAtOnce;
    asked_ = CodeOfSignal(signal);
    return signal;
  }
  return 0;
}

}  // namespace singa
