// Where a net's nodes compute and its tensors lie: on the context's device, or on the host. A net
// on the CPU is all on the host's side. What nodes of both sides use lies on both, and is copied
// from the side that makes it when it is made.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "nn/graph/graph.h"
#include "singa/nn/net.h"

namespace singa {

struct ShapedValue;

enum Side { kHostSide, kDeviceSide };
inline constexpr int kSides = 2;
using OnSides = std::array<bool, kSides>;

struct Placement {
  std::vector<Side> nodes;
  std::vector<OnSides> data, grads;  // of each value; labels are where data is
};

// `device`: whether there is one. A split is where its readers are: on the device if any is.
Placement PlaceNodes(const std::deque<NetNode>& nodes, const std::vector<Node>& graph,
                     size_t values, bool device);

}  // namespace singa
