// GroupSteps runs, at one server, the steps of the worker groups that its server group serves. It
// collects contributions, waits for norms if the job needs them, applies updates and answers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/protocol/addresses.h"
#include "cluster/protocol/outgoing.h"
#include "cluster/protocol/slice_owners.h"
#include "cluster/server/param_shard.h"
#include "cluster/server/server_setup.h"
#include "cluster/server/slice_answers.h"
#include "cluster/server/step_norm.h"
#include "cluster/server/step_sum.h"
#include "singa/cluster/consistency.h"
#include "train/apply/step_rule.h"

namespace singa {

class GroupSteps {
 public:
  // Throws ConfigError relative to the ClusterProto. All that is passed must outlive it.
  GroupSteps(const ServerSetup& setup, const SliceOwners& owners, ParamShard* shard, Outgoing* out,
             ServerEvents* events);

  // Sets the function to call after each change of a slice by an update.
  void OnUpdate(std::function<void(int slice)> call) { on_update_ = std::move(call); }

  // Sets the function that tells whether the answers about a slice have to wait.
  void HoldIf(std::function<bool(int slice)> holds) { holds_ = std::move(holds); }

  bool Serves(int64_t worker_group) const { return groups_.Has(worker_group); }

  // Takes a contribution of `process` to its group's `step`. `part`: of a slice of the shard, with
  // FloatsOf floats, or none.
  StepSum::Arrival Contribute(int worker_group, int process, int64_t step, const PartView& part);
  // Returns whether the slice's sum waits for `process`, and the floats of its contribution.
  bool TakesPart(int worker_group, int process, int slice) const {
    return ProcessesOf(worker_group, slice).read[PlaceOf(worker_group, process)];
  }
  int64_t FloatsOf(int worker_group, int process, int slice) const;
  // Takes the sums of squares of another server's slices, from its `first` on. Returns false if
  // they are refused.
  bool OnSquares(int worker_group, int server, int64_t step, int64_t first,
                 std::span<const double> squares);
  // Applies updates of `slice`, and sends answers, that no longer have to wait.
  void Settle(int slice);

  // Sends the values of `slice` to a client. `values`: a copy, which the first call that needs it
  // makes.
  void SendValues(int slice, int worker_group, int process, Frame* values);
  // Returns the last step of the group that `slice` includes.
  int64_t LastStep(int worker_group, int slice) const;

  const StepCounts& counts() const { return counts_; }
  int64_t held_bytes() const;
  // Returns a text about the longest wait; "" if nothing is incomplete.
  std::string Waiting() const;

 private:
  // The processes of one worker group, by place.
  struct Processes {
    NodesOfProcesses nodes;
    std::vector<bool> read;  // compute with the values
  };
  // The state of one worker group for one slice.
  struct Cell {
    StepSum sum;
    bool finite = true;      // the sum is finite
    bool ready = false;      // may be applied: no norm is awaited
    bool owed = false;       // an update was applied and is not answered yet
    int64_t last = -1;       // the last step that was applied or dropped
    int64_t staleness = -1;  // of the last step's gradient; -1: it was dropped
    double norm = -1;        // of the group's gradient in step `last`; -1: there is none
    // With sends_sums: the sum of step `last`, until it is sent; no floats: the step was dropped.
    EncodedFloats applied = {};
  };
  struct Group {
    // By Slice::by, of the slices here. StepSum refers to them.
    std::map<Contributors, Processes> processes;
    std::vector<Cell> cells;  // by place in the shard
    StepNorm norm;
    int64_t told = -1;  // the last step that was reported as not finite
    // If norms are needed or steps may be skipped, all slices of a step wait for each other.
    int64_t step = -1;   // the step that is collected
    int complete = 0;    // slices whose contributions are all there
    int unapplied = 0;   // slices that wait for their update, once the norm is known
    double length = -1;  // of the gradient, with clip_norm
    StepVerdict verdict = {};
  };
  Group& of(int worker_group) { return served_[worker_group - groups_.first]; }
  const Group& of(int worker_group) const { return served_[worker_group - groups_.first]; }
  Cell& cell(int worker_group, int slice) { return of(worker_group).cells[slices_.PlaceOf(slice)]; }

  static Processes ProcessesOf(const Topology& topology, int worker_group, const Contributors& by);
  const Processes& ProcessesOf(int worker_group, int slice) const {
    return of(worker_group).processes.at(setup_.table[slice].by);
  }
  int PlaceOf(int worker_group, int process) const {
    return process - setup_.topology.ProcessesOf(worker_group).first;
  }
  bool Joins(Group* group, int64_t step) const;
  void Complete(int worker_group, int slice);
  void PostSquares(int worker_group);
  void TryNorm(int worker_group);
  void Apply(int worker_group, int slice);
  void Answer(int worker_group, int slice);
  SlicePart AnswerPart(int slice, int worker_group) const;
  void Diverged(int worker_group, int64_t step, const std::string& text);

  const ServerSetup setup_;
  const SliceSet slices_;
  const Range groups_;
  const StepRule rule_;
  ParamShard* const shard_;
  Outgoing* const out_;
  SliceAnswers answers_;
  ServerEvents* const events_;
  std::unique_ptr<Consistency> consistency_;
  std::function<void(int slice)> on_update_;
  std::function<bool(int slice)> holds_ = [](int) { return false; };
  Context ctx_;
  std::vector<Group> served_;
  std::vector<float> clipped_;
  StepCounts counts_;
};

}  // namespace singa
