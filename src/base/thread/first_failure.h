// FirstFailure keeps the first exception of threads of OpenMP. An exception that leaves such a
// thread ends the process.
#pragma once

#include <exception>

#include "base/thread/mutex.h"

namespace singa {

class FirstFailure {
 public:
  // Keeps the exception that is being handled, unless there was one before. Any thread may call it.
  void Keep() {
    const MutexLock lock(&mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
  // Throws the exception that was kept, if there is one.
  void Throw() {
    const MutexLock lock(&mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  Mutex mutex_;
  std::exception_ptr failure_ GUARDED_BY(mutex_);
};

}  // namespace singa
