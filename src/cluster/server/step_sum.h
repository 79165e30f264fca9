// StepSum adds up the contributions of the processes of one worker group to one slice, one step at
// a time. The sum is the group's mean gradient.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/message/message.h"
#include "math/reduction/sum_tree.h"
#include "singa/tensor/context.h"

namespace singa {

// For each process of a worker group, the nodes of the group's SumTree that the process itself adds
// up. A contribution holds a slice's sum for each of these nodes, one after the other.
using NodesOfProcesses = std::vector<std::vector<SumNode>>;

class StepSum {
 public:
  // `next`: the first step that counts. `readers`: the processes that compute with the values; the
  // sum waits for those without nodes, too, as its update changes these values. null: those with
  // nodes. `nodes` and `readers` must outlive it.
  StepSum(const NodesOfProcesses* nodes, int64_t next, const std::vector<bool>* readers = nullptr)
      : nodes_(*nodes),
        readers_(readers),
        frames_(nodes->size()),
        came_(nodes->size()),
        step_(next) {
    for (size_t p = 0; p < nodes->size(); ++p) processes_ += TakesPart(p);
  }

  enum class Arrival {
    kTaken,
    kDuplicate,  // the process has contributed to the step already, or the step is done
    kOtherStep,  // the group is at another step
  };
  // Takes a contribution. `process`: its place in the group. `floats`: the slice's sum for each of
  // its nodes; empty: it has no finite ones, or no nodes. `version`: of the values that the
  // gradient was computed from. `now`: Clock::Now().
  Arrival Add(int process, int64_t step, int64_t version, Frame floats, int64_t now);

  bool waits() const { return arrived_ > 0 && arrived_ < processes_; }
  bool complete() const { return arrived_ == processes_; }
  // Returns the step that is collected; before any contribution, the first step that counts.
  int64_t step() const { return step_; }
  int64_t version() const { return version_; }  // the oldest that a process computed from
  int64_t since() const { return since_; }      // when the first contribution came
  int Missing() const;                          // the first process that did not contribute

  // Returns whether a process has no finite gradient.
  bool none() const { return none_; }
  // Adds up n floats in the order of the SumTree. Returns false if the sum is not finite. REQUIRES:
  // complete(), and not called before for this step.
  bool Sum(Context* ctx, int64_t n);
  // Returns the sum. REQUIRES: Sum was called.
  const float* gradient() const { return gradient_; }
  // Ends the step, which was applied or dropped: the next one may come.
  void Done();

  int64_t held_bytes() const;

 private:
  bool TakesPart(size_t process) const {
    return readers_ ? (*readers_)[process] : !nodes_[process].empty();
  }

  const NodesOfProcesses& nodes_;
  const std::vector<bool>* const readers_;
  int processes_ = 0;          // that take part
  std::vector<Frame> frames_;  // by process
  std::vector<bool> came_;
  int arrived_ = 0;
  bool none_ = false;
  int64_t step_, version_ = 0, since_ = 0;
  Frame sum_;  // the sum, if there are several nodes
  const float* gradient_ = nullptr;
};

}  // namespace singa
