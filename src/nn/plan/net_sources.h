// SourcesOf and EdgesOf tell which nodes of a net read the outputs of which others.
#pragma once

#include <utility>
#include <vector>

#include "singa/nn/net.h"

namespace singa {

// Time steps [step, step + steps) of output `output` of nodes()[node]. An output without time steps
// has one step. node -1: no node of the net computes it.
struct NetSource {
  int node = -1, output = 0;
  int step = 0, steps = 1;
};

// The sources of each input of one node. An input has several sources, in the order of time, if a
// layer runs as one node for each step.
using NodeSources = std::vector<std::vector<NetSource>>;

// Returns the sources of each node, in the order of nodes().
std::vector<NodeSources> SourcesOf(const Net& net);

// Returns the pairs (producer, reader) as indices in nodes(), in the order of the readers.
std::vector<std::pair<int, int>> EdgesOf(const Net& net);

}  // namespace singa
