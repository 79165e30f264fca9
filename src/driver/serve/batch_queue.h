// BatchQueue holds the records of requests until a thread computes them. Any thread may call.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/thread/mutex.h"

namespace singa {

// The records of one request. The thread that computes owns all but `done` until it sets that.
struct BatchTask {
  std::vector<float> rows;
  int64_t records = 0;
  std::vector<float> scores = {};  // set when it is done, if status is 200
  int status = 200;                // of HTTP
  std::string error = {};
  std::promise<void> done = {};
};

using BatchTasks = std::vector<std::shared_ptr<BatchTask>>;

class BatchQueue {
 public:
  // Take returns tasks of at most `batch` records together. At most `most` records wait, but a task
  // always finds room in an empty queue.
  BatchQueue(int64_t batch, int64_t most) : batch_(batch), most_(most) {}

  // Returns false if there is no room, or after End.
  bool Add(std::shared_ptr<BatchTask> task);
  // Waits for a task. Returns the oldest one, and those after it that fit in the batch. Returns
  // none when all are taken after End.
  BatchTasks Take();
  // Drops a task that nobody waits for any more, unless it is taken already.
  void Drop(const BatchTask& task);
  void End();
  int64_t records() const;  // that wait

 private:
  const int64_t batch_, most_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<BatchTask>> tasks_ GUARDED_BY(mutex_);
  int64_t records_ GUARDED_BY(mutex_) = 0;  // of tasks_
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace singa
