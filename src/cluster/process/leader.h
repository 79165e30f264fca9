// Leader is rank 0 among the processes of a job. It sends orders to the others, and receives their
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

// Methods that wait throw as those of ControlChannel do.
class Leader {
 public:
  // Both must outlive it.
  Leader(const Topology& topology, ControlChannel* control);

  void TellAll(const ControlMessage& order) { control_.SendToAll(order); }
  // Waits for an answer of each other process. Returns them by rank, from rank 1 on.
  std::vector<ControlMessage> AwaitAll(ControlMessage::KindCase answer);
  // Does what AwaitAll does, but with start_timeout more, since nobody renews the deadline yet.
  std::vector<ControlMessage> AwaitAtStart(ControlMessage::KindCase answer);
  // Holds all groups of other processes until GoAll: none begins a step. Waits until none is in a
  // step, and returns the processes' answers.
  std::vector<ControlMessage> HoldAll();
  void GoAll();
  // Waits until all are ready for the first step, and tells all.
  void AwaitReady();
  // Waits until the groups of all other processes have their first values. REQUIRES: those here
  // have theirs.
  void AwaitFilled();
  // Tells all how layers are divided, before they make the net, in messages of a bounded size. A
  // process that takes the place of a lost one is told, too.
  void TellPartition(const ControlMessage::Partition& partition);
  // Tells all where they begin. A process that takes the place of a lost one begins there, too.
  void TellBegin(const ControlMessage::Begin& begin);
  // Notes that such a process begins at `start` from now on, as a rule at the last checkpoint.
  void NoteStart(const ControlMessage::Begin& start);
  // Returns the states of all other processes for a checkpoint. `steps`: the steps that each group
  // has done.
  std::vector<std::string> CollectStates(const std::vector<int64_t>& steps);
  // Tells all others that the job is done.
  void TellEnd();

  // Any thread may call the methods below. These two tell all but process `from`, the source of the
  // news, that a worker group has done `steps` steps, or trains no more.
  void NoteSteps(int group, int64_t steps, int from);
  void NoteLeft(int group, int from);
  // Returns whether a row of metrics is new. Rows of a group come in order, but a process that
  // replaces another may take the last steps again.
  bool IsNews(int group, int64_t step);

  // Takes an answer of process `rank`, on the stub's thread.
  void OnAnswer(int rank, const ControlMessage& answer);
  // Tells a new process in the place of `rank` what to do. Returns its groups with the steps that
  // they begin with; none if the job cannot go on without the lost process.
  std::optional<std::map<int, int64_t>> Greet(int rank);

 private:
  using Wait = ControlChannel::Wait;
  Range Others() const { return {1, topology_.processes()}; }

  const Topology& topology_;
  ControlChannel& control_;
  // Held until a message is sent, so that a new process hears of each change once: by Greet, or by
  // the message.
  Mutex mutex_;
  Replacements replacements_ GUARDED_BY(mutex_);
};

}  // namespace singa
