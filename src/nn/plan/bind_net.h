// BindNet gives memory to the tensors of a net.
#pragma once

#include "nn/plan/net_memory.h"
#include "singa/nn/net.h"

namespace singa {

// Binds every tensor to its place in `arena`, and allocates kForever buffers and metrics. REQUIRES:
// PrepareNet was called, and `arena` Fits its result.
void BindNet(const Context& ctx, NetArena arena, Net* net);

}  // namespace singa
