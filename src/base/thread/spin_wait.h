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

// Waits awake until done(), for some 100 microseconds, and returns done(). `threads`: the number of
// threads that wait for each other. If it exceeds the cores, asks done() once, since spinning would
// hold up the others.
template <typename Done>
bool SpinUntil(const Done& done, int threads) {
  static const int cores = static_cast<int>(std::thread::hardware_concurrency());
  constexpr int kSpins = 4000;
  for (int i = 0; threads <= cores && i < kSpins; ++i) {
    if (done()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return done();
}

// `threads`: as in SpinUntil; then the thread sleeps. Also returns when `stopped`, if not
// null, is true. Returns false if the deadline, if any, has ended. `sleepers`, if not null, counts
// the threads that sleep.
inline bool SpinWait(const std::atomic<uint32_t>& number, uint32_t old, int threads,
                     const std::atomic<bool>* stopped = nullptr,
                     const ProgressDeadline* deadline = nullptr,
                     std::atomic<uint32_t>* sleepers = nullptr) {
  if (SpinUntil([&] { return number.load(std::memory_order_acquire) != old; }, threads))
    return true;
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
