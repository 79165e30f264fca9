// ServeCounters count what `singa predict -serve` has answered, for /metrics. Any thread may call.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/thread/mutex.h"

namespace singa {

class ServeCounters {
 public:
  // A request for predictions is answered with this status of HTTP.
  void AddAnswer(int status);
  // Predictions were ready so many seconds after the body of their request.
  void AddTime(double seconds);
  // So many records were computed together.
  void AddBatch(int64_t records, double seconds);

  // Returns all numbers in Prometheus' text form. `waiting`: records that wait.
  std::string Text(int64_t waiting) const;

 private:
  static constexpr size_t kKeptTimes = 10'000;
  static constexpr size_t kBuckets = 11;  // batches of at most 1, 2, 4, ... 1024 records

  mutable Mutex mutex_;
  std::map<int, int64_t> answers_ GUARDED_BY(mutex_);  // by status
  std::vector<float> times_ GUARDED_BY(mutex_);        // the last ones, as a ring
  int64_t timed_ GUARDED_BY(mutex_) = 0;               // number of all times
  double seconds_ GUARDED_BY(mutex_) = 0;              // sum of all times
  std::array<int64_t, kBuckets> batches_ GUARDED_BY(mutex_) = {};
  int64_t all_batches_ GUARDED_BY(mutex_) = 0, records_ GUARDED_BY(mutex_) = 0;
  double compute_seconds_ GUARDED_BY(mutex_) = 0;
};

}  // namespace singa
