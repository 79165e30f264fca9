// PrepareNet plans the memory of a net.
#pragma once

#include "nn/plan/net_memory.h"
#include "singa/nn/net.h"

namespace singa {

// Decides which nodes compute on the device of `ctx`, calls the layers' Prepare, and finds a place
// for each tensor. Allocates no tensor. Returns the net's needs.
NetMemory PrepareNet(const Context& ctx, Net* net);

}  // namespace singa
