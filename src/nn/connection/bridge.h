// A bridge carries a feature between two layers of a net that the workers of a group divide in
// different ways, and its gradient back. Partition inserts it. It has two ends, which are layers:
// the source reads the feature and offers the other workers their regions; the end gives the
// feature in the reader's layout. Each worker has both. Labels cross if Bridge::labels
// says so; elsewhere only layers that are divided by rows give and read them.
#pragma once

#include <deque>
#include <memory>

#include "comm/exchange/region_board.h"
#include "nn/graph/bridge_layout.h"
#include "singa/nn/layer.h"
#include "singa/nn/net_node.h"

namespace singa {

// The source's output is memory for the feature in the reader's layout, in which it puts the
// regions that the worker has itself. Only the end of the same bridge may read it.
std::unique_ptr<Layer> NewBridgeSource(const Bridge& bridge);
std::unique_ptr<Layer> NewBridgeEnd(const Bridge& bridge);

// Returns the sizes of the regions that `workers` workers offer each other by the bridges of a net.
// Without bridges there are no tags.
RegionSizes SizesOfBridges(const std::deque<NetNode>& nodes, int workers);

}  // namespace singa
