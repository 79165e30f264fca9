// ThreadsMark: what several threads of one worker do at the same time, as its one mark says it: the
// oldest work that is not done, so that one who stands still is seen, whatever the others do.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/thread/worker_mark.h"

namespace singa {

// Any thread may use it. Nobody else writes to the mark meanwhile.
class ThreadsMark {
 public:
  // `mark` may be null; it says `waits` where no thread works, and before and after what it said.
  ThreadsMark(WorkerMark* mark, Doing waits)
      : mark_(mark), layer_(mark ? mark->layer() : nullptr), waits_(waits), scope_(mark, waits) {}

  // A thread works for as long as it lives.
  class Scope {
   public:
    Scope(ThreadsMark* threads, Doing work) : threads_(*threads), work_(work) {
      threads_.Begin(work_);
    }
    ~Scope() { threads_.End(work_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ThreadsMark& threads_;
    const Doing work_;
  };

 private:
  void Begin(Doing work) {
    if (!mark_) return;
    const std::lock_guard lock(mutex_);
    working_.push_back(work);
    Say();
  }
  // Works of one kind are alike: the oldest goes.
  void End(Doing work) {
    if (!mark_) return;
    const std::lock_guard lock(mutex_);
    working_.erase(std::find(working_.begin(), working_.end(), work));
    Say();
  }
  void Say() { mark_->Set(working_.empty() ? waits_ : working_.front(), layer_); }

  WorkerMark* const mark_;
  const std::string* const layer_;
  const Doing waits_;
  const WorkerMark::Scope scope_;
  std::mutex mutex_;            // guards what follows, and writing to the mark
  std::vector<Doing> working_;  // in the order in which they began
};

}  // namespace singa
