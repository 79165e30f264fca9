// Builds a Net from NetProto: graph passes, shapes, traits, which nodes run backward.
#pragma once

#include <vector>

#include "nn/graph/graph.h"
#include "singa/nn/net.h"

namespace singa {

struct NetOptions {
  Phase phase = kTrain;
  int parts = 1;   // workers of the group
  int worker = 0;  // whose part to keep
  bool fold = true;
  // Whether features may share memory once their last reader in a forward-backward pass is done.
  bool reuse = true;
  bool gradients = true;  // whether anything trains (false in test and validation)
};

// Every part's nodes are set up (shapes cross workers); only `options.worker`'s are kept.
// `tables[i]` gets part i's params. With errors the net is not usable.
Net BuildNet(const NetProto& conf, const NetOptions& options, std::vector<ParamTable*> tables,
             ConfigErrors* errors);

}  // namespace singa
