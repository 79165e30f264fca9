// LocalGroup: workers that train one replica together, of one process or of several that share
// memory. They add up their gradients slice by slice, in the order of the group's SumTree,
// whichever of them does the adding. Where the group has other workers, which share no memory with
// these, the sums are those of the tree's nodes that these workers are.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/thread/activity_mark.h"
#include "base/thread/barrier.h"
#include "base/thread/progress_deadline.h"
#include "math/reduction/sum_tree.h"
#include "singa/nn/param.h"
#include "singa/tensor/context.h"
#include "train/apply/slice_table.h"
#include "train/apply/slice_updates.h"
#include "train/reduce/group_memory.h"
#include "train/reduce/node_sums.h"
#include "train/reduce/piece_ring.h"

namespace singa {

class LocalGroup {
 public:
  // All workers of a group. `here`: those of them that this process has; 0: all.
  explicit LocalGroup(int workers, int here = 0) : LocalGroup(SumNode{0, workers}, workers, here) {}
  // Workers `some` of a group of `group`. Below worker 0 is the first of them.
  LocalGroup(SumNode some, int group, int here)
      : here_(here > 0 ? here : some.workers()),
        first_(some.first),
        group_(group),
        nodes_(SumTree(group).NodesOf(some)),
        barrier_(some.workers()),
        gradients_(some.workers()),
        marks_(some.workers()),
        rows_(some.workers()) {}

  int workers() const { return static_cast<int>(gradients_.size()); }
  // Workers of the whole group; nodes of its SumTree that SliceUpdates::Take gets the sums of.
  int group() const { return group_; }
  const std::vector<SumNode>& nodes() const { return nodes_; }
  int here() const { return here_; }
  bool spans_processes() const { return here_ < workers(); }
  // The params that get gradients; the same for every worker.
  void SetParams(const std::vector<Shape>& params);
  const SliceTable& table() const { return table_; }
  // Where sums go; outlives the group's steps.
  void SetUpdates(SliceUpdates* updates) { updates_ = updates; }
  SliceUpdates& updates() { return *updates_; }
  // Of who waits for other workers, which then throws Error, kExitStalled, that names one. Before
  // Share; outlives the group's steps.
  void SetDeadline(const ProgressDeadline* deadline) { deadline_ = deadline; }
  // What it shares with other processes, before the first step; outlives the group's steps.
  void Share(const GroupMemory& memory);
  // Adds up over the processes of a group that has several; outlives the group's steps.
  void SetBetween(NodeSums* between) { between_ = between; }
  // Where worker `worker` has its whole gradients, by param; null: it gives them in pieces.
  void SetGradients(int worker, std::vector<float*> gradients);
  // Where worker `worker`, of this process, says that it waits; null: nobody asks.
  void SetMark(int worker, ActivityMark* mark) { marks_[worker] = mark; }

  // What follows is called by the workers' threads. What waits throws Stopped once one
  // of them failed.

  // Worker's whole gradient of `param` is there: the last one to say so offers its slices.
  void Offer(int param);
  // Adds up slices that are offered, and hands them on, until there are none.
  void AddOffered(Context& ctx, int64_t step);
  // All workers call these: the pieces of a large gradient, which each computes from its rows.
  void TakePieces(Context& ctx, int worker, int param, int64_t row, const GradientRows& rows,
                  std::span<float> room);
  void Finish(Context& ctx, int worker, int64_t step);
  void Sum(int worker, std::span<double> values);
  // Pieces of a large gradient that one thread needs room for.
  int piece_slots() const;
  // Nanoseconds that workers here waited for others since the last call, together.
  int64_t TakeWait() { return waited_.exchange(0); }
  // A worker has failed: ends what the others of this process do.
  void Stop() { barrier_.Stop(); }
  const std::atomic<bool>& stopped() const { return barrier_.stopped(); }

 private:
  void Arrive(int worker);
  [[noreturn]] void ThrowStalled(int worker) const;
  int NextOffered();
  void AddSlice(Context& ctx, int slice, int64_t step);
  void Clear();
  void SumRun(int worker, std::span<double> values);
  void SumBetween(int worker, std::span<double> values);
  std::span<double> NumbersOf(int worker, size_t count) const;

  struct SliceRange {
    int first, last;  // half-open
  };
  // Runs of slices.
  struct Pieces {
    SliceRange slices;
    int64_t count;
    SliceRange operator[](int64_t i) const {
      const int64_t n = slices.last - slices.first;
      return {slices.first + static_cast<int>(n * i / count),
              slices.first + static_cast<int>(n * (i + 1) / count)};
    }
  };
  Pieces Cut(SliceRange slices, int64_t threads) const;
  std::pair<int64_t, int64_t> FloatsOf(SliceRange slices) const;
  void TakePiece(Context& ctx, int64_t row, SliceRange slices, int64_t step, float* room);
  void TakeByRing(Context& ctx, int worker, int64_t row, const GradientRows& rows,
                  const Pieces& pieces);
  void TakeSlices(Context& ctx, SliceRange slices, int64_t step, std::span<float* const> sums);

  const int here_;
  const int first_, group_;  // of the group: the worker that is 0 here; how many it has
  const std::vector<SumNode> nodes_;
  Barrier barrier_;
  const ProgressDeadline* deadline_ = nullptr;  // null: any
  SliceTable table_;
  SliceUpdates* updates_ = nullptr;
  NodeSums* between_ = nullptr;                 // null: one process
  std::vector<std::vector<float*>> gradients_;  // of each worker
  std::vector<ActivityMark*> marks_;            // of each worker
  std::vector<float*> sums_;                    // by slice, in the first worker's gradients
  std::unique_ptr<uint64_t[]> own_;             // the board's memory, where nobody else has it
  SharedCounters board_;
  std::vector<const GradientRows*> rows_;  // of each worker, in TakePieces
  std::atomic<int> next_piece_{0};
  std::vector<std::unique_ptr<PieceRing>> rings_;  // of each worker, with other processes
  std::atomic<int64_t> waited_{0};
};

}  // namespace singa
