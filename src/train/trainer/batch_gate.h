// A BatchGate lets the workers of a group abandon a step of several batches, all of them before the
// same batch. Every worker asks it before each batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/thread/mutex.h"

namespace singa {

// Any thread may use it.
class BatchGate {
 public:
  // `stop` returns whether the step is to be abandoned. It must outlive the gate.
  explicit BatchGate(const std::function<bool()>& stop) : stop_(stop) {}

  // Returns whether the worker computes batch `batch` of the step. After the first request to stop,
  // workers that are behind still compute the batches that another worker has begun, as workers may
  // wait for each other within a batch.
  bool Begin(int64_t batch) {
    const MutexLock lock(&mutex_);
    if (end_ < 0 && stop_()) end_ = begun_ + 1;
    if (end_ >= 0 && batch >= end_) return false;
    begun_ = std::max(begun_, batch);
    return true;
  }

 private:
  const std::function<bool()>& stop_;
  Mutex mutex_;
  int64_t begun_ GUARDED_BY(mutex_) = -1;  // last batch that a worker has begun
  int64_t end_ GUARDED_BY(mutex_) = -1;    // batch that nobody begins; -1: all batches are computed
};

}  // namespace singa
