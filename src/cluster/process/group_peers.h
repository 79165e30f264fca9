// GroupPeers passes news of worker groups between the processes of a job. A group's first process
// tells rank 0 how far the group is, and rank 0 tells all.
#pragma once

#include <cstdint>
#include <map>

#include "base/thread/mutex.h"
#include "cluster/process/job_part.h"
#include "cluster/process/leader.h"

namespace singa {

// GroupEvents receives news of worker groups of other processes, on the stub's thread.
class GroupEvents {
 public:
  virtual ~GroupEvents() = default;
  virtual void OnSteps(int group, int64_t steps) = 0;
  virtual void OnLeft(int group) = 0;
  // The first process of a group that also has workers here allows the steps before `steps`.
  virtual void OnAllowed(int group, int64_t steps) = 0;
  // At rank 0: another process has the group now. The group has done `steps` steps at least, which
  // may be fewer than OnSteps said.
  virtual void OnReplaced(int group, int64_t steps) = 0;
  // At rank 0: takes a row of metrics. Must not throw.
  virtual void OnRow(const ControlMessage::Row& row) = 0;
  // The job cannot go on: threads that wait for a group are to stop. Any thread may call it.
  virtual void OnFailure() = 0;
};

class GroupPeers {
 public:
  // All must outlive it. `leader`: this process's; null: another process is rank 0.
  GroupPeers(const JobPart& part, ControlChannel* control, Leader* leader);

  // Passes news to `events`, until Forget.
  void Listen(GroupEvents* events);
  void Forget() { Listen(nullptr); }

  // Tell the other processes that worker group `group`, of this process, has done `steps` steps, or
  // trains no more.
  void NoteSteps(int group, int64_t steps);
  void NoteLeft(int group);
  // Allows the other processes of worker group `group` the steps before `steps`. REQUIRES: this is
  // the group's first process.
  void AllowSteps(int group, int64_t steps);
  // Sends rank 0 a row of metrics to write. REQUIRES: this is not rank 0.
  void SendRow(const ControlMessage::Row& row);

  // Returns whether this process is the first of a worker group of process `rank`.
  bool LeadsProcess(int rank) const;

  // Take news from process `rank`, which is not trusted: messages that do not fit are dropped.
  void OnSteps(int rank, const ControlMessage::GroupSteps& news);
  void OnLeft(int rank, const ControlMessage::Left& news);
  void OnRow(int rank, const ControlMessage::Row& row);
  void OnGroupGrant(int rank, const ControlMessage::GroupSteps& grant);
  // Notes that other processes have these groups now. groups: by group, the steps that it begins
  // with.
  void OnReplaced(const std::map<int, int64_t>& groups);
  // Notes that the job cannot go on. Any thread may call it.
  void OnFailure();

 private:
  bool MaySpeakOf(int64_t group, int rank) const;

  const JobPart& part_;
  ControlChannel& control_;
  Leader* const leader_;
  Mutex mutex_;  // also held while `events_` is called
  GroupEvents* events_ GUARDED_BY(mutex_) = nullptr;
};

}  // namespace singa
