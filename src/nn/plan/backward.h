// Which nodes of a net run backward.
#pragma once

#include <deque>
#include <vector>

#include "nn/plan/net_storage.h"

namespace singa {

// Marks nodes after one with a feedback slot that the value read back depends on, and that one.
void MarkFeedback(std::deque<NetNode>* nodes, const std::vector<Node>& graph);

// Marks the nodes that run backward: those with something to train in or below them that a gradient
// reaches; and which values need a gradient. REQUIRES: MarkFeedback.
void FindBackward(std::deque<NetNode>* nodes, const std::vector<Node>& graph,
                  std::vector<ShapedValue>* values, ConfigErrors* errors);

}  // namespace singa
