// NodeWork is what a layer of a net computes and moves in a step.
#pragma once

#include <cstdint>

#include "singa/nn/net_node.h"

namespace singa {

// Operations are nominal: a multiply-add counts as 2. Of bytes each tensor counts once.
struct NodeWork {
  double forward_flops = 0, backward_flops = 0;
  double forward_bytes = 0, backward_bytes = 0, update_bytes = 0;

  double flops() const { return forward_flops + backward_flops; }
  double bytes() const { return forward_bytes + backward_bytes + update_bytes; }
};

// Returns the work of a node of a train net. `states`: floats of updater state per element.
NodeWork WorkOf(const NetNode& node, int64_t states);

}  // namespace singa
