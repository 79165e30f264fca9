#include "comm/collective/thread_pieces.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/thread/first_failure.h"
#include "math/finite.h"
#include "math/parallel_slices.h"

namespace singa {
namespace {

void ReducePiece(MemoryGroup* group, Context& ctx, int64_t piece, float* room) {
  const std::span<const PieceWork*> works = group->works();
  const int64_t size = works[0]->floats(piece);
  const auto slot_at = [room, size](int slot) { return room + slot * size; };
  const auto is_rank = [](SumNode node) { return node.workers() == 1; };
  const auto compute = [&](SumNode node, int slot) {
    works[node.first - group->first()]->Produce(ctx, piece, slot_at(slot));
    return slot_at(slot);
  };
  const auto add = [size](float* a, const float* b, int) {
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) a[i] += b[i];
    return a;
  };
  const std::vector<SumNode>& nodes = group->nodes();
  std::array<float*, SumTree::kMostNodes> sums;  // on the stack: a step allocates nothing
  for (size_t i = 0; i < nodes.size(); ++i)
    sums[i] = WalkSumTree(nodes[i], static_cast<int>(i), is_rank, compute, add);
  works[0]->Consume(ctx, piece, {sums.data(), nodes.size()});
}

}  // namespace

Context OfThread(const Context& ctx, int64_t thread) {
  Context own = ctx;
  own.threads = 1;
  own.scratch = nullptr;
  if (thread > 0) own.trace = nullptr;
  return own;
}

void ReduceByThreads(MemoryGroup* group, Context& ctx, int64_t pieces, std::span<float> room) {
  const int threads = std::max(1, ctx.threads);
  FirstFailure failure;
  const auto work = [&](int64_t, int64_t, int64_t thread) {
    Context own = OfThread(ctx, thread);
    float* const own_room = room.data() + thread * std::ssize(room) / threads;
    try {
      for (int64_t i = group->next_piece()++; i < pieces; i = group->next_piece()++)
        ReducePiece(group, own, i, own_room);
    } catch (...) {
      failure.Keep();
      group->next_piece() = pieces;  // the other threads begin no piece
    }
  };
  ParallelSlices(ctx, threads * kParallelElements, kParallelElements, work);
  failure.Throw();
}

int NotFiniteThread(MemoryGroup* group, const Context& ctx, int64_t piece, int64_t begin,
                    int64_t n) {
  const std::span<const PieceWork*> works = group->works();
  std::vector<float> part(works[0]->floats(piece));
  Context own = OfThread(ctx, 0);
  for (size_t rank = 0; rank < works.size(); ++rank) {
    works[rank]->Produce(own, piece, part.data());
    if (!AllFinite(own, part.data() + begin, n)) return static_cast<int>(rank);
  }
  return -1;
}

}  // namespace singa
