// OtherGroups: the worker groups besides the first, each in a thread of its own.
#pragma once

#include <exception>
#include <thread>
#include <vector>

#include "base/thread/mutex.h"
#include "driver/job/group_loop.h"

namespace singa {

class OtherGroups {
 public:
  // Starts them; each goes on after the steps that its gate knows, to the last. All outlive it.
  OtherGroups(WorkerGroups* groups, const Schedule& schedule, MetricsSink* sink);
  // Ends them between two steps.
  ~OtherGroups();
  OtherGroups(const OtherGroups&) = delete;
  OtherGroups& operator=(const OtherGroups&) = delete;

  // Throws what one of them threw, if one has; the gate is then stopped.
  void Check();

 private:
  void Run(int group);
  void EndThreads();

  WorkerGroups& groups_;
  const Schedule& schedule_;
  MetricsSink* const sink_;
  Mutex mutex_;
  std::exception_ptr error_ GUARDED_BY(mutex_);  // the first
  std::vector<std::thread> threads_;
};

}  // namespace singa
