#include "train/reduce/gradient_reduction.h"

#include <array>
#include <utility>

namespace singa {
namespace {

MemoryGroup::Options WithBuffers(MemoryGroup::Options options, int buffers,
                                 const GroupMemory* shared) {
  options.buffers = buffers;
  options.shared = shared ? &shared->board() : nullptr;
  return options;
}

}  // namespace

GradientReduction::GradientReduction(const SliceTable& table, SliceUpdates* updates,
                                     const MemoryGroup::Options& options, const GroupMemory* shared)
    : table_(table),
      updates_(*updates),
      group_(WithBuffers(options, table.params(), shared)),
      sums_(table_, &group_),
      pieces_(table.size()) {
  for (int worker = 0; shared && worker < group_.size(); ++worker) {
    std::vector<BufferSums::Buffer> gradients;
    gradients.reserve(table.params());
    for (int param = 0; param < table.params(); ++param)
      gradients.push_back({shared->gradient(worker, param)});
    Register(worker, std::move(gradients));
  }
  if (shared) first_sums_ = sums_.SumsOfFirst();
  updates_.set_gradients(this);
}

void GradientReduction::Register(int worker, std::vector<BufferSums::Buffer> gradients) {
  sums_.Register(worker, std::move(gradients));
}

void GradientReduction::Finish(Context& ctx, Collective* collective) {
  const int worker = collective->rank();
  if (worker == 0 && first_sums_.empty()) first_sums_ = sums_.SumsOfFirst();
  Reduce(ctx);
  collective->Barrier();
  if (worker == 0) sums_.Restart();
  updates_.Finish(ctx, ctx.state->step, worker, collective->size(), first_sums_);
  collective->Barrier();
}

// A slice that only one worker computes needs no look at the numbers.
int GradientReduction::NotFiniteWorker(const Context& ctx, int slice) const {
  const Slice& cut = table_[slice];
  if (cut.by.count == 1) return cut.by.first;
  const auto& [piece, begin] = pieces_[slice];
  return piece.collective ? piece.collective->NotFiniteRank(ctx, piece.number, begin, cut.size)
                          : sums_.NotFiniteRank(ctx, slice);
}

void GradientReduction::SubmitSlices(Context& ctx, int first, int last,
                                     std::span<float* const> sums, const SummedPiece& piece) {
  const int64_t begin = table_[first].begin;
  std::array<float*, SumTree::kMostNodes> of_slice;  // on the stack: a step allocates nothing
  for (int slice = first; slice < last; ++slice) {
    for (size_t i = 0; i < sums.size(); ++i) of_slice[i] = sums[i] + (table_[slice].begin - begin);
    pieces_[slice] = {piece, table_[slice].begin - begin};
    Submit(ctx, slice, {of_slice.data(), sums.size()});
    pieces_[slice] = {};
  }
}

void GradientReduction::Submit(Context& ctx, int slice, std::span<float* const> sums) {
  SliceEvents* const events = updates_.events();
  if (events) events->OnSum(slice, ctx.state->step);
  updates_.Submit(ctx, slice, ctx.state->step, sums);
  if (events) events->OnSubmitted(slice, ctx.state->step);
}

}  // namespace singa
