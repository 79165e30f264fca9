// LocalGroup: the workers of one process that train one replica together. They add up their
// gradients slice by slice, in the order of the workers, whichever of them does the adding.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "base/barrier.h"
#include "singa/nn/param.h"
#include "singa/tensor/context.h"
#include "train/slice_table.h"
#include "train/slice_updates.h"

namespace singa {

class LocalGroup {
 public:
  explicit LocalGroup(int workers)
      : barrier_(workers), gradients_(workers), rows_(workers), numbers_(workers) {}

  int workers() const { return static_cast<int>(gradients_.size()); }
  // The params that get gradients; the same for every worker.
  void SetParams(const std::vector<Shape>& params);
  const SliceTable& table() const { return table_; }
  // Where sums go; outlives the group's steps.
  void SetUpdates(SliceUpdates* updates) { updates_ = updates; }
  SliceUpdates& updates() { return *updates_; }
  // Adds up over the processes of a group that has several; outlives the group's steps.
  void SetBetween(GroupSum* between) { between_ = between; }
  // Where worker `worker` has its whole gradients, by param; null: it gives them in pieces.
  void SetGradients(int worker, std::vector<float*> gradients) {
    gradients_[worker] = std::move(gradients);
  }

  // What follows is called by the workers' threads. All of it throws Stopped once a worker failed.

  // Worker's whole gradient of `param` is there: the last one to say so offers its slices.
  void Arrive(int param);
  // Adds up slices that are offered, and hands them on, until there are none.
  void AddOffered(Context& ctx, int64_t step);
  // All workers call these: the pieces of a large gradient, which each computes from its rows.
  void TakePieces(Context& ctx, int worker, int param, int64_t row, const GradientRows& rows,
                  std::span<float> room);
  void Finish(Context& ctx, int worker, int64_t step);
  void Sum(int worker, std::span<double> values);
  // This worker has failed: ends what the others do.
  void Stop() { barrier_.Stop(); }

 private:
  void AddSlice(Context& ctx, int slice, int64_t step);
  void TakePiece(Context& ctx, int64_t row, int first, int last, int64_t step, float* piece);

  Barrier barrier_;
  SliceTable table_;
  SliceUpdates* updates_ = nullptr;
  GroupSum* between_ = nullptr;                 // null: one process
  std::vector<std::vector<float*>> gradients_;  // of each worker
  std::deque<std::atomic<int>> arrived_;        // workers, for each param
  std::mutex lock_;                             // guards offered_
  std::vector<int> offered_;                    // slices to be added up
  std::vector<const GradientRows*> rows_;       // of each worker, in TakePieces
  std::atomic<int> next_piece_{0};
  std::vector<std::span<double>> numbers_;  // of each worker, in Sum
  std::vector<double> sums_;                // over processes, in Sum
};

}  // namespace singa
