// SimSchedule orders events in simulated time. The clock jumps from event to event. The same seed
// and the same calls give the same run, so a failing seed can be run again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

#include "base/thread/clock.h"
#include "singa/base/philox.h"

namespace singa {

inline constexpr int64_t kSimMillisecond = 1'000'000;
inline constexpr int64_t kSimSecond = 1000 * kSimMillisecond;

class SimClock final : public Clock {
 public:
  int64_t Now() const override { return now; }
  int64_t now = kSimSecond;
};

class SimSchedule {
 public:
  using Action = std::function<void()>;

  explicit SimSchedule(uint64_t seed) : random_{.seed = seed, .purpose = HashName("sim")} {}

  SimClock clock;

  // Calls `action` at that time, or next if the time is past.
  void At(int64_t time, Action action) { events_.push({time, order_++, std::move(action)}); }
  // Returns the time of the next event; INT64_MAX: there is none.
  int64_t Next() const { return events_.empty() ? INT64_MAX : events_.top().time; }
  // REQUIRES: there is an event.
  void RunNext() {
    AdvanceTo(Next());
    const Action action = events_.top().action;
    events_.pop();
    action();
  }
  void AdvanceTo(int64_t time) { clock.now = std::max(clock.now, time); }

  // Returns 64 random bits of this run.
  uint64_t Random() {
    const auto words = random_.Block(drawn_++);
    return uint64_t{words[0]} << 32 | words[1];
  }
  // Returns a number from `least` to `most`, both included.
  int64_t Between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_.Below(drawn_++, most - least + 1));
  }
  bool Happens(double probability) {
    return probability > 0 && static_cast<double>(Random()) < probability * 0x1.0p64;
  }

 private:
  struct Event {
    int64_t time;
    uint64_t order;
    Action action;
    bool operator<(const Event& other) const {  // for a queue with the greatest on top
      return std::pair(time, order) > std::pair(other.time, other.order);
    }
  };

  const Philox random_;
  uint64_t drawn_ = 0;
  std::priority_queue<Event> events_;
  uint64_t order_ = 0;
};

}  // namespace singa
