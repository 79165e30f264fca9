// Patience: how long threads of a job wait for others of it before they give up and say for whom.
// Whoever goes on renews it for all: a wait may last as long as anybody in the job does something.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace singa {

// Nanoseconds can say it, too.
inline constexpr std::chrono::milliseconds kNoEnd = std::chrono::hours(24 * 365 * 10);

// Any thread may use it.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Patience(std::chrono::milliseconds longest = kNoEnd) : longest_(longest) {}

  std::chrono::milliseconds longest() const { return longest_; }
  // Somebody has gone on.
  void Renew() { renewed_.store(Clock::now(), std::memory_order_relaxed); }
  // Whether who has waited since `start` is to give up.
  bool Ends(Clock::time_point start) const {
    return Clock::now() - std::max(start, renewed_.load(std::memory_order_relaxed)) >= longest_;
  }
  // Waits on `changed` until done(); false: it ended first.
  template <typename Done>
  bool Wait(std::condition_variable* changed, std::unique_lock<std::mutex>* lock,
            const Done& done) const {
    constexpr std::chrono::milliseconds kLook(500);
    const Clock::time_point start = Clock::now();
    while (!changed->wait_for(*lock, std::min(longest_, kLook), done))
      if (Ends(start)) return false;
    return true;
  }

 private:
  const std::chrono::milliseconds longest_;
  std::atomic<Clock::time_point> renewed_{};
};

}  // namespace singa
