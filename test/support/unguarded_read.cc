// This file has a mistake that the analysis of base/thread/thread_safety.h must find: Read holds no
// mutex.
#include "base/thread/mutex.h"

namespace singa {

class UnguardedRead {
 public:
  void Add() {
    const MutexLock lock(&mutex_);
    ++count_;
  }
  int Read() const { return count_; }

 private:
  mutable Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};

int ReadUnguarded(const UnguardedRead& unguarded) { return unguarded.Read(); }

}  // namespace singa
