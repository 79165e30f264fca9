// Follower: a process of a job that is not rank 0. It hears what rank 0 tells, and answers.
#pragma once

#include <string>
#include <vector>

#include "cluster/process/control_channel.h"

namespace singa {

// Methods that wait throw as those of ControlChannel.
class Follower {
 public:
  // Both outlive it.
  Follower(const Topology& topology, ControlChannel* control)
      : topology_(topology), control_(*control) {}

  // The next order of rank 0.
  ControlMessage Next() { return control_.AwaitOrder(ControlChannel::Wait::kProgress); }
  // The first order, or the first after `gpu_group`: rank 0 may take any time until then.
  ControlMessage First() { return control_.AwaitOrder(ControlChannel::Wait::kEndless); }
  void Answer(const ControlMessage& answer) { control_.Send(0, answer); }
  // This process is ready for the first step. Waits until all are.
  void Ready();
  // The groups here have their first values.
  void TellFilled() { Answer(EmptyControl(ControlMessage::kFilled)); }
  // This process takes a place. It listens, and is to hear how far all groups are; it trains.
  void AskForSteps() { Answer(EmptyControl(ControlMessage::kListens)); }
  // This process is asked to end: rank 0 ends the job. Any thread may call.
  void AskToEnd() { Answer(EmptyControl(ControlMessage::kInterrupt)); }

  // This process's state for a checkpoint, to rank 0 or to the first process of its group.
  void GiveState(int rank, const std::string& state) { control_.SendState(rank, state); }
  // This process is the first of `group`: states of its other processes, in their order.
  std::vector<std::string> AwaitStates(int group);

 private:
  const Topology& topology_;
  ControlChannel& control_;
};

}  // namespace singa
