#include "driver/signals/end_watch.h"

#include <utility>

#include "base/thread/thread.h"

namespace singa {

EndWatch::EndWatch(std::chrono::milliseconds longest,
                   std::function<void(const std::exception_ptr&)> end)
    : longest_(longest), end_(std::move(end)), thread_(StartThread([this] { Run(); })) {}

EndWatch::~EndWatch() {
  {
    const MutexLock lock(&mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void EndWatch::Begin(const std::exception_ptr& why) {
  {
    const MutexLock lock(&mutex_);
    if (!why_) why_ = why;
  }
  changed_.notify_all();
}

void EndWatch::Run() {
  MutexLock lock(&mutex_);
  changed_.wait(lock.native(),
                [this]() REQUIRES(mutex_) { return stop_ || why_; });  // the job ended or failed
  if (changed_.wait_for(lock.native(), longest_, [this]() REQUIRES(mutex_) { return stop_; }))
    return;
  const std::exception_ptr why = why_;
  lock.Unlock();
  end_(why);
}

}  // namespace singa
