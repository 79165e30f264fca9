// ThreadsActivity combines the activities of several threads of one worker in the worker's one
// mark. The mark shows the oldest work that is not done, so that a thread that stands still is seen
// while others go on.
#pragma once

#include <algorithm>
#include <vector>

#include "base/thread/activity_mark.h"
#include "base/thread/mutex.h"

namespace singa {

// Any thread may use it. Nobody else may write to the mark meanwhile.
class ThreadsActivity {
 public:
  // `mark` may be null. It says `waits` while no thread works. At the end it says again what it
  // said before.
  ThreadsActivity(ActivityMark* mark, Activity waits)
      : mark_(mark), layer_(mark ? mark->layer() : nullptr), waits_(waits), scope_(mark, waits) {}

  // Marks a thread's work for as long as it lives.
  class Scope {
   public:
    Scope(ThreadsActivity* threads, Activity work) : threads_(*threads), work_(work) {
      threads_.Begin(work_);
    }
    ~Scope() { threads_.End(work_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ThreadsActivity& threads_;
    const Activity work_;
  };

 private:
  void Begin(Activity work) {
    if (!mark_) return;
    const MutexLock lock(&mutex_);
    working_.push_back(work);
    Say();
  }
  // Removes the oldest work of this kind, since works of one kind are alike.
  void End(Activity work) {
    if (!mark_) return;
    const MutexLock lock(&mutex_);
    working_.erase(std::find(working_.begin(), working_.end(), work));
    Say();
  }
  void Say() REQUIRES(mutex_) { mark_->Set(working_.empty() ? waits_ : working_.front(), layer_); }

  ActivityMark* const mark_;
  const std::string* const layer_;
  const Activity waits_;
  const ActivityMark::Scope scope_;
  Mutex mutex_;                                       // guards writing to the mark, too
  std::vector<Activity> working_ GUARDED_BY(mutex_);  // in the order of their begins
};

}  // namespace singa
