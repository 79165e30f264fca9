// Fuse: lets layers do the work of the one that reads them (kBM that of a kReLU), so that its
// feature is written, and its gradient read, once.
#pragma once

#include "nn/plan/net_storage.h"

namespace singa {

// Marks the nodes whose work is done by their source. REQUIRES: shapes are known.
void FuseReaders(std::deque<NetNode>* nodes, const std::vector<Node>& graph,
                 const std::vector<ShapedValue>& values);

}  // namespace singa
