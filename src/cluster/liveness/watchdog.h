// Watchdog runs a thread that watches whether the workers and servers of a process make progress.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/thread/clock.h"
#include "base/thread/mutex.h"
#include "cluster/liveness/stall_detector.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// Returns the longest time a thread waits for others. It is above the stall timeout, so that the
// others' watchdogs report first.
std::chrono::milliseconds LongestWait(const ClusterProto& conf);

class Watchdog {
 public:
  struct Calls {
    // Called when a thread has made progress, with the sum of all progress counts.
    std::function<void(uint64_t)> went_on;
    // Called once, when a thread stands still, and with it those that wait for it. Only the end of
    // the process helps.
    std::function<void(const std::string&)> stalled;
  };

  // The marks that `finder` watches must outlive this. The watchdog's thread makes the calls.
  Watchdog(StallDetector finder, Calls calls);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Run();

  StallDetector finder_;
  const Calls calls_;
  const SteadyClock clock_;
  Mutex mutex_;
  std::condition_variable changed_;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace singa
