#include "cluster/liveness/watchdog.h"

#include <glog/logging.h>

#include <utility>

#include "base/thread/progress_deadline.h"
#include "base/thread/thread.h"

namespace singa {

// Progress of others arrives by beats, every 5 seconds or more often. With several groups a process
// that replaces a lost one loads first, which no mark shows.
std::chrono::milliseconds LongestWait(const ClusterProto& conf) {
  if (conf.stall_timeout() == 0) return kNoEnd;
  const std::chrono::milliseconds timeout = std::chrono::seconds(conf.stall_timeout());
  const int load = conf.nworker_groups() > 1 ? conf.start_timeout() : 0;
  return timeout * 3 / 2 + std::chrono::seconds(10) + std::chrono::seconds(load);
}

Watchdog::Watchdog(StallDetector finder, Calls calls)
    : finder_(std::move(finder)),
      calls_(std::move(calls)),
      thread_(StartThread([this] { Run(); })) {}

Watchdog::~Watchdog() {
  {
    const MutexLock lock(&mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::Run() {
  const std::chrono::nanoseconds pause(finder_.pause());
  uint64_t progress = 0;
  MutexLock lock(&mutex_);
  while (!changed_.wait_for(lock.native(), pause, [this]() REQUIRES(mutex_) { return stop_; })) {
    const int64_t now = clock_.Now();
    const std::optional<std::string> stalled = finder_.Look(now);
    if (std::exchange(progress, finder_.progress()) != finder_.progress())
      calls_.went_on(finder_.progress());
    if (!stalled) continue;
    LOG(INFO) << "a stall:\n" << finder_.Describe(now);
    return calls_.stalled(*stalled);
  }
}

}  // namespace singa
