// The calling thread's number of OpenMP threads. Vendor libraries go by it, when they plan as when
// they run, and leave undone what they planned for more than they get; kernels of ours go by
// Context::threads.
#pragma once

#include <omp.h>

#include <algorithm>

namespace singa {

// What OMP_THREAD_LIMIT leaves of `threads`.
inline int AllowedThreads(int threads) { return std::min(threads, omp_get_thread_limit()); }

// From now on; all of them, whatever OMP_DYNAMIC says.
inline void SetOmpThreads(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
}

// For as long as this lives.
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
