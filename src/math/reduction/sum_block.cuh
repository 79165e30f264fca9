// Launches math/reduction/sum_block.h.
#pragma once

#include "math/reduction/sum_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {

// Returns the number of blocks that add up n terms. Each thread has four terms at least.
inline int64_t SumParts(int64_t n) { return BlocksFor((n + 3) / 4); }

// Adds up the sums that `parts` blocks left in the stream's workspace.
template <size_t N, typename Finish>
void SumPartial(Context& ctx, int64_t parts, const Finish& finish) {
  const auto* partial = static_cast<const Sums<N>*>(CudaStreamOf(ctx).workspace());
  using Last = SumBlock<N, LoadSums<N>, Finish>;
  ForEachBlock(ctx, 1, Last{{partial}, parts, 1, finish});
}

// Calls finish(0, the sums of term(j), j < n) in one thread of the device.
template <size_t N, typename Term, typename Finish>
void SumTerms(Context& ctx, int64_t n, const Term& term, const Finish& finish) {
  const int64_t parts = SumParts(n);
  if (parts == 1) {
    ForEachBlock(ctx, 1, SumBlock<N, Term, Finish>{term, n, 1, finish});
    return;
  }
  auto* partial = static_cast<Sums<N>*>(CudaStreamOf(ctx).workspace());
  using First = SumBlock<N, Term, StoreSums<N>>;
  ForEachBlock(ctx, parts, First{term, n, parts, {partial}});
  SumPartial<N>(ctx, parts, finish);
}

}  // namespace singa
