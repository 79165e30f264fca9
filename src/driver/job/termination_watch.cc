#include "driver/job/termination_watch.h"

#include <pthread.h>

#include <ctime>
#include <utility>

namespace singa {
namespace {

constexpr timespec kLook = {0, 200'000'000};

// By a thread that a library started before main.
std::atomic<bool> noted{false};

static_assert(std::atomic<bool>::is_always_lock_free);

sigset_t Terminate() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

TerminationWatch::TerminationWatch(std::function<void()> asked) : asked_(std::move(asked)) {
  const sigset_t terminate = Terminate();
  std::signal(SIGINT, SIG_IGN);
  pthread_sigmask(SIG_BLOCK, &terminate, &blocked_);
  struct sigaction action = {};
  action.sa_handler = [](int) { noted = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  thread_ = std::thread([this] { Run(); });
}

TerminationWatch::~TerminationWatch() {
  ends_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
  std::signal(SIGTERM, SIG_IGN);
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
}

void TerminationWatch::Run() {
  const sigset_t terminate = Terminate();
  while (!ends_) {
    const bool came = sigtimedwait(&terminate, nullptr, &kLook) == SIGTERM;
    if ((came || noted.exchange(false)) && !ends_) asked_();
  }
}

}  // namespace singa
