// SkippedClock is the steady clock plus a time that a test skips: hours pass without a wait.
#pragma once

#include <atomic>

#include "base/thread/clock.h"

namespace singa {

// Any thread may use it.
class SkippedClock final : public Clock {
 public:
  int64_t Now() const override { return steady_.Now() + skipped_; }
  void Skip(int64_t nanoseconds) { skipped_ += nanoseconds; }

 private:
  const SteadyClock steady_{};
  std::atomic<int64_t> skipped_{0};
};

}  // namespace singa
