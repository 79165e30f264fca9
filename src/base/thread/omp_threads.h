// Sets the calling thread's number of OpenMP threads. Vendor libraries use it when they plan and
// when they run; with fewer threads than planned they leave work undone. Our own kernels use
// Context::threads.
#pragma once

#include <omp.h>

#include <algorithm>

namespace singa {

// Returns `threads`, or OMP_THREAD_LIMIT if that is lower.
inline int AllowedThreads(int threads) { return std::min(threads, omp_get_thread_limit()); }

// Sets the number from now on. OMP_DYNAMIC cannot lower it.
inline void SetOmpThreads(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
}

// Sets the number for as long as this lives.
class OmpThreads {
 public:
  explicit OmpThreads(int threads) : before_(omp_get_max_threads()), dynamic_(omp_get_dynamic()) {
    SetOmpThreads(threads);
  }
  ~OmpThreads() {
    omp_set_num_threads(before_);
    omp_set_dynamic(dynamic_);
  }
  OmpThreads(const OmpThreads&) = delete;
  OmpThreads& operator=(const OmpThreads&) = delete;

 private:
  const int before_, dynamic_;
};

}  // namespace singa
