// ExpandRepeats turns the `repeat` blocks of a net into plain layers.
#pragma once

#include "driver/conf/conf_tree.h"
#include "nn/graph/graph.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Appends the copies of each block's layers to net->layer, in the order of blocks and copies, and
// clears net->repeat. `places`, the net's node in the tree of places, gets a node for each copy in
// place of the blocks' nodes; null: the job has no file. Returns the mistakes in the blocks, with
// paths below the net; then `places` is as it was.
ConfigErrors ExpandRepeats(NetProto* net, ConfNode* places);

// Expands the blocks of a job that has no file. Throws the first mistake.
void ExpandBlocksOf(JobProto* job);

}  // namespace singa
