// OmpThreads: the calling thread's number of OpenMP threads, for as long as this lives. Vendor
// libraries go by it, when they plan as when they run; kernels of ours by Context::threads.
#pragma once

#include <omp.h>

namespace singa {

class OmpThreads {
 public:
  explicit OmpThreads(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads);
  }
  ~OmpThreads() { omp_set_num_threads(before_); }
  OmpThreads(const OmpThreads&) = delete;
  OmpThreads& operator=(const OmpThreads&) = delete;

 private:
  const int before_;
};

}  // namespace singa
