// ChangeCount counts changes that threads wait for, also those of several processes that share
// memory. Who changes something calls the system only if somebody sleeps: a call would take as long
// as a small copy.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread/futex.h"
#include "base/thread/spin_wait.h"

namespace singa {

struct ChangeCount {
  std::atomic<uint32_t> number, sleepers;  // both 0 at first

  uint32_t seen() const { return number.load(std::memory_order_acquire); }
  // Notes a change. Either it sees a sleeper, or the sleeper sees the new number.
  void Tell() {
    ++number;
    if (sleepers > 0) FutexWakeAll(number);
  }
  // Waits until the number is no more `old`. The rest is as in SpinWait.
  bool Await(uint32_t old, int threads, const std::atomic<bool>* stopped,
             const ProgressDeadline* deadline) {
    return SpinWait(number, old, threads, stopped, deadline, &sleepers);
  }
};

}  // namespace singa
