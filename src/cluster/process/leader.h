// Leader: rank 0 among the processes of a job. It tells the others what to do next, and hears their
// answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/thread/mutex.h"
#include "cluster/process/control_channel.h"
#include "cluster/process/replacements.h"

namespace singa {

// Methods that wait throw as those of ControlChannel.
class Leader {
 public:
  // Both outlive it.
  Leader(const Topology& topology, ControlChannel* control);

  void TellAll(const ControlMessage& order) { control_.SendToAll(order); }
  // Waits for an answer of each other process; by rank, without rank 0's.
  std::vector<ControlMessage> AwaitAll(ControlMessage::KindCase answer);
  // As AwaitAll, but with start_timeout more: nobody can go on yet and renew the deadline.
  std::vector<ControlMessage> AwaitAtStart(ControlMessage::KindCase answer);
  // From here to Go no group of another process begins a step. Waits until none is in one; returns
  // what the processes answer.
  std::vector<ControlMessage> HoldAll();
  void GoAll();
  // Waits until all are ready for the first step, and tells them so.
  void AwaitReady();
  // The groups here have their first values. Waits until all have.
  void AwaitFilled();
  // Where a process begins that takes the place of a lost one.
  void SetStart(const ControlMessage::Begin& start);
  // The states of all others for a checkpoint, when each group has done so many steps.
  std::vector<std::string> CollectStates(const std::vector<int64_t>& steps);
  // The job is done.
  void TellEnd();

  // Any thread may call what follows. A worker group has done so many steps, or trains no more: all
  // are told but process `from`, which has said so.
  void NoteSteps(int group, int64_t steps, int from);
  void NoteLeft(int group, int from);
  // Whether a row of `group`, in order, is news: a successor may take the last step again.
  bool IsNews(int group, int64_t step);

  // On the stub's thread, from process `rank`.
  void OnAnswer(int rank, const ControlMessage& answer);
  // Another process has the place of `rank`, and is told what to do. Returns its groups and the
  // steps that they begin with; nothing: the job needs what the lost one had.
  std::optional<std::map<int, int64_t>> Greet(int rank);

 private:
  using Wait = ControlChannel::Wait;
  Range Others() const { return {1, topology_.processes()}; }

  const Topology& topology_;
  ControlChannel& control_;
  // Held until it is sent: a successor hears of it by Greet, or by itself.
  Mutex mutex_;
  Replacements replacements_ GUARDED_BY(mutex_);
};

}  // namespace singa
