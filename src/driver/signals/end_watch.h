// EndWatch ends a process whose job has failed and whose threads do not return, such as a thread in
// a layer that hangs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <thread>

#include "base/thread/mutex.h"

namespace singa {

class EndWatch {
 public:
  // Calls `end` on its own thread if the object still exists `longest` after Begin. `end` gets the
  // argument of Begin, and does not return.
  EndWatch(std::chrono::milliseconds longest, std::function<void(const std::exception_ptr&)> end);
  ~EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

  // Starts the time, as the job has failed by `why`. Only the first call counts. Any thread may
  // call it.
  void Begin(const std::exception_ptr& why);

 private:
  void Run();

  const std::chrono::milliseconds longest_;
  const std::function<void(const std::exception_ptr&)> end_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr why_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // must be last: it uses the members above
};

}  // namespace singa
