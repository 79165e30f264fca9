// Builds a Net from NetProto: graph passes, shapes, traits, which nodes run backward.
#pragma once

#include <string>
#include <vector>

#include "nn/graph/graph.h"
#include "nn/input/feed.h"
#include "singa/nn/net.h"

namespace singa {

// What a net for use is asked for: one layer's feature, for rows that the caller gives.
struct NetUse {
  std::string output;            // see KeepOutput
  int64_t rows = 1;              // of a batch; >= 1
  const FedRows* fed = nullptr;  // what each forward pass reads; outlives the net
};

struct NetOptions {
  Phase phase = kTrain;
  int parts = 1;   // workers of the group
  int worker = 0;  // whose part to keep
  bool fold = true;
  // Whether features may share memory once their last reader in a forward-backward pass is done.
  bool reuse = true;
  bool gradients = true;        // whether anything trains (false in test and validation)
  const NetUse* use = nullptr;  // not null: of one worker, without gradients
};

// Every part's nodes are set up (shapes cross workers); only `options.worker`'s are kept. Where
// `options.use` is set, its output is the last node.
// `tables[i]` gets part i's params. With errors the net is not usable.
Net BuildNet(const NetProto& conf, const NetOptions& options, std::vector<ParamTable*> tables,
             ConfigErrors* errors);
// The same for a net that has one part. Throws its first error, relative to the JobProto.
Net BuildNet(const NetProto& conf, const NetOptions& options, ParamTable* params);

}  // namespace singa
