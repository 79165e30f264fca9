#include "driver/serve/batch_queue.h"

#include <algorithm>
#include <utility>

namespace singa {

bool BatchQueue::Add(std::shared_ptr<BatchTask> task) {
  const MutexLock lock(&mutex_);
  if (ended_ || (!tasks_.empty() && records_ + task->records > most_)) return false;
  records_ += task->records;
  tasks_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

BatchTasks BatchQueue::Take() {
  MutexLock lock(&mutex_);
  changed_.wait(lock.native(), [this]() REQUIRES(mutex_) { return ended_ || !tasks_.empty(); });
  BatchTasks taken;
  int64_t records = 0;
  while (!tasks_.empty() && (taken.empty() || records + tasks_.front()->records <= batch_)) {
    records += tasks_.front()->records;
    taken.push_back(std::move(tasks_.front()));
    tasks_.pop_front();
  }
  records_ -= records;
  return taken;
}

void BatchQueue::Drop(const BatchTask& task) {
  const MutexLock lock(&mutex_);
  const auto found =
      std::ranges::find_if(tasks_, [&](const auto& one) { return one.get() == &task; });
  if (found == tasks_.end()) return;
  records_ -= task.records;
  tasks_.erase(found);
}

void BatchQueue::End() {
  const MutexLock lock(&mutex_);
  ended_ = true;
  changed_.notify_all();
}

int64_t BatchQueue::records() const {
  const MutexLock lock(&mutex_);
  return records_;
}

}  // namespace singa
