// CountedTime adds the time that it lives, in nanoseconds, to a sum.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace singa {

class CountedTime {
 public:
  // `sum` must outlive it.
  explicit CountedTime(std::atomic<int64_t>* sum) : sum_(*sum) {}
  ~CountedTime() {
    sum_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
  }
  CountedTime(const CountedTime&) = delete;
  CountedTime& operator=(const CountedTime&) = delete;

 private:
  std::atomic<int64_t>& sum_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace singa
