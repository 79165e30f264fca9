// GroupPeers: news of worker groups between the processes of a job. A group's first process tells
// rank 0 how far the group is, and rank 0 tells all.
#pragma once

#include <cstdint>
#include <map>

#include "base/thread/mutex.h"
#include "cluster/process/job_part.h"
#include "cluster/process/leader.h"

namespace singa {

// Told of worker groups of other processes, on the stub's thread.
class GroupEvents {
 public:
  virtual ~GroupEvents() = default;
  virtual void OnSteps(int group, int64_t steps) = 0;
  virtual void OnLeft(int group) = 0;
  // The first process of a group that has workers here, too, begins the steps before `steps`.
  virtual void OnAllowed(int group, int64_t steps) = 0;
  // Rank 0: another process has the group; it has done `steps` at least, maybe less than was told.
  virtual void OnReplaced(int group, int64_t steps) = 0;
  // Rank 0: a row of metrics. Must not throw.
  virtual void OnRow(const ControlMessage::Row& row) = 0;
  // The job cannot go on: whoever waits for a group is to stop. Any thread may call.
  virtual void OnFailure() = 0;
};

class GroupPeers {
 public:
  // All outlive it. `leader`: this process's; null: another process is rank 0.
  GroupPeers(const JobPart& part, ControlChannel* control, Leader* leader);

  // `events` hears of groups, until Forget.
  void Listen(GroupEvents* events);
  void Forget() { Listen(nullptr); }

  // Worker group `group`, of this process, has done so many steps; or trains no more.
  void NoteSteps(int group, int64_t steps);
  void NoteLeft(int group);
  // Worker group `group`, whose first process this is, begins the steps before `steps`.
  void AllowSteps(int group, int64_t steps);
  // Not at rank 0: a row of metrics for rank 0 to write.
  void SendRow(const ControlMessage::Row& row);

  // Whether this process is the first of a worker group of process `rank`.
  bool LeadsProcess(int rank) const;

  // From process `rank`, which may say anything: what does not fit is dropped.
  void OnSteps(int rank, const ControlMessage::GroupSteps& news);
  void OnLeft(int rank, const ControlMessage::Left& news);
  void OnRow(int rank, const ControlMessage::Row& row);
  void OnGroupGrant(int rank, const ControlMessage::GroupSteps& grant);
  // Other processes have these groups now, and begin with so many steps.
  void OnReplaced(const std::map<int, int64_t>& groups);
  // The job cannot go on. Any thread may call.
  void OnFailure();

 private:
  bool MaySpeakOf(int64_t group, int rank) const;

  const JobPart& part_;
  ControlChannel& control_;
  Leader* const leader_;
  Mutex mutex_;  // held while they are called, too
  GroupEvents* events_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace singa
