// A Barrier lets threads wait for each other, until they are stopped. They may be in several
// processes that share its numbers by memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread/spin_wait.h"
#include "base/thread/stopped.h"

namespace singa {

// The shared numbers of a barrier, all 0 at first.
struct BarrierNumbers {
  std::atomic<uint32_t> here, turn;
};

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  // Makes the barrier use `numbers`, which must outlive it. REQUIRES: Arrive was not called yet.
  void Share(BarrierNumbers* numbers) { numbers_ = numbers; }

  // Blocks until all threads are here. Writes of each before are visible to all after. Throws
  // Stopped once Stop was called, or Overdue if the deadline, if any, has ended.
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

  // Ends all waits of threads of this process, now and later. Threads of other processes go on
  // waiting. Any thread may call it.
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
