// OpenNet makes a net ready for passes.
#pragma once

#include "nn/plan/net_memory.h"
#include "singa/nn/net.h"

namespace singa {

// Gives memory to the tensors (BindNet), and calls the layers' Open, which opens stores. Throws
// ConfigError relative to the JobProto, also if the stores of two input layers have different
// numbers of records. REQUIRES: PrepareNet was called, and `arena` Fits its result.
void OpenNet(const Context& ctx, NetArena arena, Net* net);

}  // namespace singa
