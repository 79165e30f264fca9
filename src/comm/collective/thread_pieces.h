// ReduceByThreads runs a reduce-scatter among threads of one process. Every thread of every rank
// takes the next piece until none is left, so that a late rank takes fewer. A thread computes the
// parts of all ranks of its piece and adds them up while they are in its cache.
#pragma once

#include <cstdint>
#include <span>

#include "comm/collective/memory_group.h"

namespace singa {

// Returns the context for one thread of a rank: it has no further threads and no scratch memory.
Context OfThread(const Context& ctx, int64_t thread);

// Does one rank's share. REQUIRES: all ranks have put their work into group->works(), and
// next_piece() was 0. The work of each rank must live until all ranks have returned, since other
// ranks call it. Throws what the work of a piece throws that a thread of this rank took; the
// reduction then ends early in all ranks.
void ReduceByThreads(MemoryGroup* group, Context& ctx, int64_t pieces, std::span<float> room);

// Returns a rank here whose own numbers [begin, begin + n) of `piece` are not finite; -1: there is
// none. It computes the parts of all ranks again. REQUIRES: Consume of this piece is under way.
int NotFiniteThread(MemoryGroup* group, const Context& ctx, int64_t piece, int64_t begin,
                    int64_t n);

}  // namespace singa
