#include "driver/launch/stop_signals.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace singa {
namespace {

std::atomic<int> told{-1};  // where the handler writes

static_assert(std::atomic<int>::is_always_lock_free);

// Any thread may run it; a library may have started some.
void Tell(int signal) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(signal);
  if (::write(told, &byte, 1) < 0) {
    // The pipe is full of signals that nobody took: one more says nothing new.
  }
  errno = saved;
}

}  // namespace

StopSignals::StopSignals() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(kExitCantCreate, StrCat("cannot make a pipe: ", std::strerror(errno)));
  read_ = Descriptor(ends[0]);
  write_ = Descriptor(ends[1]);
  CHECK_EQ(told.exchange(write_.get()), -1) << "signals are taken already";
  struct sigaction action = {};
  action.sa_handler = Tell;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
  // Where it is ignored, children vanish with their exit codes.
  sigaction(SIGCHLD, nullptr, &child_);
  if (child_.sa_handler == SIG_IGN) std::signal(SIGCHLD, SIG_DFL);
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &stops, &blocked_);
}

StopSignals::~StopSignals() {
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  if (child_.sa_handler == SIG_IGN) sigaction(SIGCHLD, &child_, nullptr);
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  told = -1;
}

int StopSignals::Take() {
  unsigned char byte = 0;
  if (::read(read_.get(), &byte, 1) != 1) return 0;
  asked_ = byte == SIGINT ? kExitInterrupted : kExitTerminated;
  return byte;
}

}  // namespace singa
