// FuseReaders lets a layer do the work of its reader (kBM that of a kReLU), so that the feature is
// written once and the gradient is read once.
#pragma once

#include "nn/plan/net_layout.h"

namespace singa {

// Marks the nodes whose source does their work. REQUIRES: shapes are known.
void FuseReaders(std::deque<NetNode>* nodes, const std::vector<Node>& graph,
                 const std::vector<ShapedValue>& values);

}  // namespace singa
