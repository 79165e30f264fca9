// Watchdog: the thread that looks whether workers and servers of a process go on.
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

// How long a thread waits for others: longer than these take to find that one of
// them stands still, and to say so.
std::chrono::milliseconds LongestWait(const ClusterProto& conf);

class Watchdog {
 public:
  struct Calls {
    // Somebody has gone on; how often all have so far.
    std::function<void(uint64_t)> went_on;
    // Somebody stands still, and so do threads that wait for it: nothing but the end of the process
    // helps. Called once.
    std::function<void(const std::string&)> stalled;
  };

  // What `finder` looks at outlives it. Its thread makes the calls.
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
