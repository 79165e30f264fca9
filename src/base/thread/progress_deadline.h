// ProgressDeadline limits how long threads of a job wait for others before they give up. Every
// thread that makes progress renews it for all, so a wait may last as long as anybody in the job
// makes progress.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace singa {

// No limit. Nanoseconds can hold it, too.
inline constexpr std::chrono::milliseconds kNoEnd = std::chrono::hours(24 * 365 * 10);

// Any thread may use it.
class ProgressDeadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressDeadline(std::chrono::milliseconds longest = kNoEnd) : longest_(longest) {}

  std::chrono::milliseconds longest() const { return longest_; }
  // Notes progress of somebody.
  void Renew(Clock::time_point now = Clock::now()) {
    renewed_.store(now, std::memory_order_relaxed);
  }
  // Returns whether a thread that has waited since `start` is to give up.
  bool Ends(Clock::time_point start, Clock::time_point now = Clock::now()) const {
    return now - std::max(start, renewed()) >= longest_;
  }

  // One wait, which looks at the time every kLook or more often. If a pause between two looks is
  // longer, the process was stopped, and maybe with it those that it waits for. Only a second of
  // such a pause counts.
  class Waiting {
   public:
    // `deadline` must outlive it.
    explicit Waiting(const ProgressDeadline& deadline, Clock::time_point now = Clock::now())
        : deadline_(deadline), start_(now), looked_(now) {}
    // Looks at the time. Returns whether the thread is to give up.
    bool Ends(Clock::time_point now = Clock::now()) {
      constexpr Clock::duration kMost = std::chrono::seconds(1);
      const Clock::duration stopped = std::max(now - looked_ - kMost, Clock::duration::zero());
      looked_ = now;
      start_ = std::min(std::max(start_, deadline_.renewed()) + stopped, now);
      return deadline_.Ends(start_, now);
    }

   private:
    const ProgressDeadline& deadline_;
    Clock::time_point start_, looked_;
  };

  // Waits on `changed` until done(). Returns false if the deadline ended first.
  template <typename Done>
  bool Wait(std::condition_variable* changed, std::unique_lock<std::mutex>* lock,
            const Done& done) const {
    Waiting waiting(*this);
    while (!changed->wait_for(*lock, std::min(longest_, kLook), done))
      if (waiting.Ends()) return false;
    return true;
  }

 private:
  static constexpr std::chrono::milliseconds kLook{500};

  Clock::time_point renewed() const { return renewed_.load(std::memory_order_relaxed); }

  const std::chrono::milliseconds longest_;
  std::atomic<Clock::time_point> renewed_{};
};

}  // namespace singa
