// A Barrier lets threads of a test wait for each other, until one of them fails.
#pragma once

#include <condition_variable>
#include <mutex>

#include "base/thread/stopped.h"

namespace singa {

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  // Blocks until all threads are here. Throws Stopped once Stop was called.
  void Arrive() {
    std::unique_lock lock(mutex_);
    const int turn = turn_;
    if (++here_ == threads_) {
      here_ = 0;
      ++turn_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return stopped_ || turn_ != turn; });
    if (stopped_) throw Stopped();
  }

  // Ends all waits, now and later.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  const int threads_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  int here_ = 0, turn_ = 0;
  bool stopped_ = false;
};

}  // namespace singa
