// Barrier: where threads wait for each other, and can be sent home.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "base/spin_wait.h"

namespace singa {

// Thrown where a thread waits for others of which one has failed: that one's error says why.
class Stopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "another thread has failed"; }
};

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  // Waits until all threads are here. What each did before is visible to all after. Throws Stopped
  // once Stop was called.
  void Arrive() {
    if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
    if (threads_ == 1) return;
    const uint32_t turn = turn_.load(std::memory_order_relaxed);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      here_.store(0, std::memory_order_relaxed);
      turn_.fetch_add(1, std::memory_order_release);
      turn_.notify_all();
    } else {
      SpinWait(turn_, turn, threads_);
    }
    if (stopped_.load(std::memory_order_acquire)) throw Stopped();
  }

  // Ends the waiting of all, now and for ever. Any thread may call.
  void Stop() {
    stopped_.store(true, std::memory_order_release);
    turn_.fetch_add(1, std::memory_order_release);
    turn_.notify_all();
  }

 private:
  const int threads_;
  std::atomic<int> here_{0};
  std::atomic<uint32_t> turn_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace singa
