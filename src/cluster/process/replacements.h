// Replacements: at rank 0, which processes may take the places of lost ones while the job goes on,
// and what they are told. One thread at a time uses it.
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
  // `topology` outlives it.
  explicit Replacements(const Topology& topology) : topology_(topology) {}

  // All processes have begun: before, nobody can be replaced.
  void Begin() { begun_ = true; }
  bool begun() const { return begun_; }
  // Where a process is to begin.
  void SetStart(ControlMessage::Begin start) { start_ = std::move(start); }
  // All are asked to hold; this one does; they go on.
  void AskToHold();
  void Held(int rank) { asked_.erase(rank); }
  void Go() { holds_ = false; }
  // All are told that the job has ended.
  void End() { ended_ = true; }
  // A group has done so many steps, or trains no more, as far as that is told.
  void NoteSteps(int group, int64_t steps) { groups_[group].steps = steps; }
  void NoteLeft(int group) { groups_[group].left = true; }

  // Another process has the place of `rank`: what it is to be told, in order. Nothing: the job
  // needs what the lost one had. Its groups may have done less than was told.
  std::optional<std::vector<ControlMessage>> Greet(int rank);
  // Steps that a group had done at the start of SetStart.
  int64_t StepsAtStart(int group) const;
  // And once it listens: how far the groups of other processes are.
  std::vector<ControlMessage> News(int rank) const;

  // Whether a row of `group`, in order, is news: a successor may take the last step again.
  bool IsNews(int group, int64_t step);

 private:
  bool Owes(int rank) const;

  struct Group {
    int64_t steps = 0;
    bool left = false;
    int64_t last_row = -1;    // its step
    int64_t rows_until = -1;  // those of a successor are of later steps
  };
  const Topology& topology_;
  ControlMessage::Begin start_;
  bool begun_ = false, holds_ = false, ended_ = false;
  std::set<int> asked_;  // to hold, and not heard of
  std::map<int, Group> groups_;
};

}  // namespace singa
