// Placement says on which side each node computes and each tensor lies: on the context's device, or
// on the host. A net on the CPU only uses the host's side. A tensor that nodes of both sides use
// lies on both, and is copied when its node has made it.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "nn/graph/graph.h"
#include "singa/nn/net_node.h"

namespace singa {

enum Side { kHostSide, kDeviceSide };
inline constexpr int kSides = 2;
using OnSides = std::array<bool, kSides>;

struct Placement {
  std::vector<Side> nodes;
  std::vector<OnSides> data, grads;  // for each value; labels are where the data is
};

// Places nodes and tensors; without `device` all are on the host. A split is on the device if its
// data is there, that is, if its source or a reader is.
Placement PlaceNodes(const std::deque<NetNode>& nodes, const std::vector<Node>& graph,
                     size_t values, bool device);

}  // namespace singa
