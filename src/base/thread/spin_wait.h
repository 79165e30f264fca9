// SpinWait waits for a number to change, first awake, then asleep. Threads of one step wait for
// each other for microseconds, which sleeping and waking would multiply. The thread that changes
// the number wakes them by FutexWakeAll.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "base/thread/futex.h"
#include "base/thread/progress_deadline.h"

namespace singa {

// `threads`: the number of threads that wait for each other. If it exceeds the cores, the thread
// sleeps at once, since spinning would hold up the others. Also returns when `stopped`, if not
// null, is true. Returns false if the deadline, if any, has ended. `sleepers`, if not null, counts
// the threads that sleep.
inline bool SpinWait(const std::atomic<uint32_t>& number, uint32_t old, int threads,
                     const std::atomic<bool>* stopped = nullptr,
                     const ProgressDeadline* deadline = nullptr,
                     std::atomic<uint32_t>* sleepers = nullptr) {
  static const int cores = static_cast<int>(std::thread::hardware_concurrency());
  constexpr int kSpins = 4000;  // some 100 microseconds
  for (int i = 0; threads <= cores && i < kSpins; ++i) {
    if (number.load(std::memory_order_acquire) != old) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::optional<ProgressDeadline::Waiting> waiting;
  if (deadline) waiting.emplace(*deadline);
  while (number.load(std::memory_order_acquire) == old && !(stopped && *stopped)) {
    if (waiting && waiting->Ends()) return false;
    if (sleepers) ++*sleepers;
    FutexWait(number, old);
    if (sleepers) --*sleepers;
  }
  return true;
}

}  // namespace singa
