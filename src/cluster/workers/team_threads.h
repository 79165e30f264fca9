// TeamThreads is the pool of threads of a worker team. It runs a function for each worker at once,
// for worker 0 in the caller's thread. Between two runs threads look for work for a while before
// they sleep, so that a step of a small net begins without delay.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/thread/change_count.h"

namespace singa {

class TeamThreads {
 public:
  // Both are called in the thread of a worker that has failed, while others may still work.
  struct Calls {
    std::function<void()> stop;  // makes workers that wait for each other throw Stopped
    // Takes the worker's error, unless that is Stopped; may be empty.
    std::function<void(const std::exception_ptr&)> failed;
  };

  // Starts the threads of workers 1 to workers - 1, each with `omp_threads` threads of OpenMP.
  TeamThreads(int workers, int omp_threads, Calls calls);
  ~TeamThreads() { EndThreads(); }
  TeamThreads(const TeamThreads&) = delete;
  TeamThreads& operator=(const TeamThreads&) = delete;

  // Calls work(i) for each worker i, and returns when all calls have returned. Keeps their errors.
  void Run(const std::function<void(size_t)>& work);
  // Throws the error of the first worker that has ever failed, one other than Stopped if there is
  // any.
  void ThrowFirstError() const;

 private:
  void RunOne(size_t i);
  void ThreadLoop(size_t i);
  void EndThreads();

  const int workers_, omp_threads_;
  const Calls calls_;
  const std::function<void(size_t)>* work_ = nullptr;  // null: the threads end
  std::atomic<uint32_t> turn_{0};                      // number of runs so far
  std::atomic<uint32_t> done_{0};                      // threads that have done the last run
  ChangeCount began_{}, ended_{};                      // changes of turn_, and of done_
  std::vector<std::exception_ptr> errors_;             // by worker
  std::vector<std::thread> threads_;                   // last: they use all of the above
};

}  // namespace singa
