// EndWatch: ends a process whose job cannot go on and whose threads do not come back, as one in a
// layer that stands still.
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
  // `end` is called, on a thread of its own, where `longest` after Begin the object still lives. It
  // is given what Begin was, and does not come back.
  EndWatch(std::chrono::milliseconds longest, std::function<void(const std::exception_ptr&)> end);
  ~EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

  // The job cannot go on, by `why`; the first call counts. Any thread may call.
  void Begin(const std::exception_ptr& why);

 private:
  void Run();

  const std::chrono::milliseconds longest_;
  const std::function<void(const std::exception_ptr&)> end_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr why_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace singa
