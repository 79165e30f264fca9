// A Clock tells the time. It is an interface, so that tests can hold and move the time. Time is
// steady: a change of the wall clock does not affect it.
#pragma once

#include <chrono>
#include <cstdint>

namespace singa {

inline constexpr int64_t kMillisecond = 1'000'000, kSecond = 1'000'000'000;  // nanoseconds

class Clock {
 public:
  virtual ~Clock() = default;
  // Returns the nanoseconds since some moment before the process began. Any thread may call it.
  virtual int64_t Now() const = 0;
};

class SteadyClock final : public Clock {
 public:
  int64_t Now() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace singa
