// Follower is a process of a job other than rank 0. It takes rank 0's orders, and answers them.
#pragma once

#include <string>
#include <vector>

#include "cluster/process/control_channel.h"

namespace singa {

// Methods that wait throw as those of ControlChannel do.
class Follower {
 public:
  // Both must outlive it.
  Follower(const Topology& topology, ControlChannel* control)
      : topology_(topology), control_(*control) {}

  // Waits for the next order of rank 0.
  ControlMessage Next() { return control_.AwaitOrder(ControlChannel::Wait::kProgress); }
  // Waits for the first order, or the first after `gpu_group`, without limit: rank 0 may need any
  // time.
  ControlMessage First() { return control_.AwaitOrder(ControlChannel::Wait::kEndless); }
  void Answer(const ControlMessage& answer) { control_.Send(0, answer); }
  // Tells rank 0 that this process is ready for the first step, and waits until all are.
  void Ready();
  // Tells rank 0 that the groups here have their first values.
  void TellFilled() { Answer(EmptyControl(ControlMessage::kFilled)); }
  // Asks rank 0 how far all groups are, in a process that takes another's place.
  void AskForSteps() { Answer(EmptyControl(ControlMessage::kListens)); }
  // Asks rank 0 to end the job, since this process was asked to end. Any thread may call it.
  void AskToEnd() { Answer(EmptyControl(ControlMessage::kInterrupt)); }

  // Sends this process's state for a checkpoint to rank 0 or to the first process of its group.
  void GiveState(int rank, const std::string& state) { control_.SendState(rank, state); }
  // Returns the states of the other processes of `group`, in their order. REQUIRES: this process is
  // the group's first.
  std::vector<std::string> AwaitStates(int group);

 private:
  const Topology& topology_;
  ControlChannel& control_;
};

}  // namespace singa
