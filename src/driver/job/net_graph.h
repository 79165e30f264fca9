// GraphOf describes a net as a graph that TensorBoard shows.
#pragma once

#include "singa/nn/net.h"
#include "singa/proto/tensorboard.pb.h"

namespace singa {

// Returns one node for each node of the net, with its type, sources, device, shapes of its outputs
// and of its params.
tensorboard::GraphDef GraphOf(const Net& net);

}  // namespace singa
