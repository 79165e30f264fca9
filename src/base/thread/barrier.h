// Barrier: where threads wait for each other, and can be sent home. They may be of several
// processes that share its numbers by memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread/spin_wait.h"
#include "base/thread/stopped.h"

namespace singa {

// All 0 at first.
struct BarrierNumbers {
  std::atomic<uint32_t> here, turn;
};

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  // Its numbers are `numbers`, which outlive its use. Before the first Arrive.
  void Share(BarrierNumbers* numbers) { numbers_ = numbers; }

  // Waits until all threads are here. What each did before is visible to all after. Throws Stopped
  // once Stop was called, or Overdue: the deadline, where there is any, has ended.
  void Arrive(const ProgressDeadline* deadline = nullptr) {
    if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
    if (threads_ == 1) return;
    auto& [here, turn] = *numbers_;
    const uint32_t now = turn.load(std::memory_order_relaxed);
    if (here.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<uint32_t>(threads_)) {
      here.store(0, std::memory_order_relaxed);
      turn.fetch_add(1, std::memory_order_release);
      FutexWakeAll(turn);
    } else {
      if (!SpinWait(turn, now, threads_, &stopped_, deadline)) throw Overdue();
    }
    if (stopped_.load(std::memory_order_acquire)) throw Stopped();
  }

  const std::atomic<bool>& stopped() const { return stopped_; }

  // Ends the waiting of all threads of this process, now and for ever. Those of others wait on:
  // what they wait for has not happened. Any thread may call.
  void Stop() {
    stopped_.store(true, std::memory_order_release);
    FutexWakeAll(numbers_->turn);
  }

 private:
  const int threads_;
  BarrierNumbers own_{};
  BarrierNumbers* numbers_ = &own_;
  std::atomic<bool> stopped_{false};
};

}  // namespace singa
