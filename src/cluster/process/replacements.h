// Replacements decides at rank 0 which processes may take the places of lost ones while the job
// goes on, and what to tell them. One thread at a time uses it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cluster/protocol/topology.h"
#include "singa/proto/wire.pb.h"

namespace singa {

class Replacements {
 public:
  // `topology` must outlive it.
  explicit Replacements(const Topology& topology) : topology_(topology) {}

  // Notes that all processes have begun. Nobody can be replaced before.
  void Begin() { begun_ = true; }
  bool begun() const { return begun_; }
  // Notes where a new process begins from now on. Before the first call, it begins at step 0.
  void NoteStart(ControlMessage::Begin start) { start_ = std::move(start); }
  // Notes what a new process is told before anything else: how layers are divided.
  void NotePartition(std::vector<ControlMessage> orders) { partition_ = std::move(orders); }
  // Note that all are asked to hold; that process `rank` holds; that all go on.
  void AskToHold();
  void Held(int rank) { asked_.erase(rank); }
  void Go() { holds_ = false; }
  // Notes that all are told of the job's end.
  void End() { ended_ = true; }
  // Note that all are told that a group has done `steps` steps, or trains no more.
  void NoteSteps(int group, int64_t steps) { groups_[group].steps = steps; }
  void NoteLeft(int group) { groups_[group].left = true; }

  // Returns the messages for a new process in the place of `rank`, in order; none if the job cannot
  // go on without the lost process. Sets the steps of its groups back to StepsAtStart.
  std::optional<std::vector<ControlMessage>> Greet(int rank);
  // Returns the steps that a group had done at the start that was noted last.
  int64_t StepsAtStart(int group) const;
  // Returns the messages for process `rank` once it listens: how far the groups of other processes
  // are.
  std::vector<ControlMessage> News(int rank) const;

  // Returns whether a row of metrics is new. Rows of a group come in order, but a process that
  // replaces another may take the last steps again.
  bool IsNews(int group, int64_t step);

 private:
  bool Owes(int rank) const;

  struct Group {
    int64_t steps = 0;
    bool left = false;
    int64_t last_row = -1;    // step of the group's last row
    int64_t rows_until = -1;  // rows up to this step came before the replacement
  };
  const Topology& topology_;
  ControlMessage::Begin start_;
  std::vector<ControlMessage> partition_;
  bool begun_ = false, holds_ = false, ended_ = false;
  std::set<int> asked_;  // processes that were asked to hold and have not answered
  std::map<int, Group> groups_;
};

}  // namespace singa
