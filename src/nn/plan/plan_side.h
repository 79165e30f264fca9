// PlanSide finds the tensors of a net on one side, when they are in use, and their places.
#pragma once

#include <deque>

#include "nn/plan/net_layout.h"

namespace singa {

// Plans the memory of `side` for one step of `nodes`. Tensors that are in use at different times
// share memory if `reuse`. REQUIRES: Prepare of all nodes was called, and net.placement is known.
SideLayout PlanSide(const std::deque<NetNode>& nodes, const NetLayout& net, Side side, bool reuse);

}  // namespace singa
