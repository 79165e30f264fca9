// GraphDot draws a net in Graphviz's DOT: blocks of layers, with shapes and numbers of parameters.
//
// A chain of layers is one box with a row for each layer. The layers of a block, such as a copy of
// a `repeat` block, have a frame. The colour of a row is the kind of its layer.
#pragma once

#include <string>

#include "singa/nn/net.h"

namespace singa {

// Returns the colour by which pictures tell workers apart, as in SINGA 0.3.
const char* WorkerColour(int worker);
// Returns the type of a layer as its conf has it.
std::string TypeText(const LayerProto& conf);

// `all`: also layers that `singa` inserts or that only hand a feature to several readers, and the
// names and shapes of params.
std::string GraphDot(const Net& net, const std::string& title, bool all = false);

}  // namespace singa
