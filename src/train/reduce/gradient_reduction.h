// GradientReduction adds up the gradients of a worker group, slice by slice, and hands the sums to
// the group's SliceUpdates. The workers are threads of this process, or of several processes that
// share memory. All workers of the group in this process share one object.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "comm/collective/buffer_sums.h"
#include "comm/collective/memory_collective.h"
#include "comm/collective/memory_group.h"
#include "comm/collective/slice_table.h"
#include "train/apply/slice_updates.h"
#include "train/reduce/group_memory.h"

namespace singa {

// A piece whose sum is handed on.
struct SummedPiece {
  const MemoryCollective* collective = nullptr;  // has added it up; null: messages name no worker
  int64_t number = 0;
};

class GradientReduction final : private BufferSums::Consumer, private WorkerGradients {
 public:
  // `table`: the slices of the params that get gradients. `shared`: memory of several processes, or
  // null. `updates`, `shared` and all that `options` points to must outlive it. The constructor
  // sets options.buffers and options.shared.
  GradientReduction(const SliceTable& table, SliceUpdates* updates,
                    const MemoryGroup::Options& options, const GroupMemory* shared = nullptr);

  MemoryGroup& group() { return group_; }
  const SliceTable& table() const { return table_; }
  SliceUpdates& updates() { return updates_; }

  // Sets where a worker's gradients lie, by param; none: the worker gives this gradient in pieces.
  // `worker` counts workers that share memory. Called for each worker here before the first step.
  void Register(int worker, std::vector<BufferSums::Buffer> gradients);

  // The workers' threads call the methods below.

  // Notes that a worker's gradient of `param` is complete.
  void Offer(int param) { sums_.Offer(param); }
  // Adds up slices of gradients that all workers have offered, until none is left.
  void Reduce(Context& ctx) { sums_.Reduce(ctx, this); }
  // Ends a step. All workers call it, and return together; `collective` is the worker's.
  void Finish(Context& ctx, Collective* collective);
  // Hands on the sums of slices [first, last) of one param, which are `piece`. sums: one for each
  // node of the group.
  void SubmitSlices(Context& ctx, int first, int last, std::span<float* const> sums,
                    const SummedPiece& piece = {});

 private:
  void Consume(Context& ctx, int slice, std::span<float* const> sums) override {
    Submit(ctx, slice, sums);
  }
  int NotFiniteWorker(const Context& ctx, int slice) const override;
  void Submit(Context& ctx, int slice, std::span<float* const> sums);

  const SliceTable table_;
  SliceUpdates& updates_;
  MemoryGroup group_;
  BufferSums sums_;
  // By slice, in the gradients of its first contributor here. Set in the first step if no memory is
  // shared.
  std::vector<float*> first_sums_;
  // By slice: the piece that it belongs to, and its place there, while it is submitted.
  std::vector<std::pair<SummedPiece, int64_t>> pieces_;
};

}  // namespace singa
