// OtherGroups runs the worker groups other than group 0, each in its own thread.
#pragma once

#include <exception>
#include <thread>
#include <vector>

#include "base/thread/mutex.h"
#include "driver/job/group_loop.h"

namespace singa {

class OtherGroups {
 public:
  // Starts the groups. Each continues from its gate's steps to the last step. All arguments must
  // outlive it.
  OtherGroups(WorkerGroups* groups, const Schedule& schedule, MetricsSink* sink);
  // Ends the groups between two steps.
  ~OtherGroups();
  OtherGroups(const OtherGroups&) = delete;
  OtherGroups& operator=(const OtherGroups&) = delete;

  // Throws the error of a group, if there is one; the gate is then stopped.
  void Check();

 private:
  void Run(int group);
  void EndThreads();

  WorkerGroups& groups_;
  const Schedule& schedule_;
  MetricsSink* const sink_;
  Mutex mutex_;
  std::exception_ptr error_ GUARDED_BY(mutex_);  // first error
  std::vector<std::thread> threads_;
};

}  // namespace singa
