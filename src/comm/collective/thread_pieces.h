// ReduceByThreads: a reduce-scatter among threads of one process. Every thread of every rank takes
// the next piece until none is left, so that a rank that is late gets fewer. A thread computes the
// parts of all ranks of its piece and adds them up while they are in its cache.
#pragma once

#include <cstdint>
#include <span>

#include "comm/collective/memory_group.h"

namespace singa {

// A context for one thread of a rank.
Context OfThread(const Context& ctx, int64_t thread);

// One rank's share.
// REQUIRES: all ranks have put their work into group->works(), and next_piece() was 0. All ranks
// stay until each has returned: others may still call their work.
void ReduceByThreads(MemoryGroup* group, Context& ctx, int64_t pieces, std::span<float> room);

}  // namespace singa
