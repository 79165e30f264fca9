// These passes find the nodes of a net that run backward.
#pragma once

#include <deque>
#include <vector>

#include "nn/plan/net_layout.h"

namespace singa {

// Marks each node with a feedback slot, and the later nodes that compute the value read back.
void MarkFeedback(std::deque<NetNode>* nodes, const std::vector<Node>& graph);

// Marks the nodes that run backward, and the values that need a gradient. Such a node has a trained
// param in it or below it, and a gradient reaches it. REQUIRES: MarkFeedback was called.
void FindBackward(std::deque<NetNode>* nodes, const std::vector<Node>& graph,
                  std::vector<ShapedValue>* values, ConfigErrors* errors);

}  // namespace singa
