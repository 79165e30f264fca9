// ChangeCount lets threads sleep until something changes, also those of several processes that
// share memory. A thread that makes a change writes here, and calls the system, only if somebody
// sleeps: a call would take as long as a small copy.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/thread/futex.h"
#include "base/thread/progress_deadline.h"
#include "base/thread/spin_until.h"

namespace singa {

struct ChangeCount {
  std::atomic<uint32_t> number, sleepers;  // both 0 at first; number: changes that woke sleepers

  // Wakes the threads that sleep. Called after each change. Either it sees a sleeper, or the
  // sleeper sees the change.
  void Tell() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_relaxed) == 0) return;
    ++number;
    FutexWakeAll(number);
  }

  // Blocks until done() or, unless null, `stopped` is true. Returns false if the deadline, which
  // may be null, has ended. The thread spins first, as SpinUntil says, then it sleeps.
  template <typename Done>
  bool Await(const Done& done, int threads, const std::atomic<bool>* stopped,
             const ProgressDeadline* deadline) {
    if (SpinUntil(done, threads)) return true;
    std::optional<ProgressDeadline::Waiting> waiting;
    if (deadline) waiting.emplace(*deadline);
    for (;;) {
      const Sleeper sleeper(&sleepers);
      const uint32_t seen = number.load(std::memory_order_acquire);
      if (done() || (stopped && *stopped)) return true;
      if (waiting && waiting->Ends()) return false;
      FutexWait(number, seen);
    }
  }

 private:
  // One of the sleepers while it lives.
  class Sleeper {
   public:
    explicit Sleeper(std::atomic<uint32_t>* sleepers) : sleepers_(*sleepers) {
      ++sleepers_;
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    ~Sleeper() { --sleepers_; }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

   private:
    std::atomic<uint32_t>& sleepers_;
  };
};

}  // namespace singa
