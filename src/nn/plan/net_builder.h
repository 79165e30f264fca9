// BuildNet makes a Net from a NetProto: graph passes, shapes, traits, nodes that run backward.
#pragma once

#include <string>
#include <vector>

#include "nn/graph/graph.h"
#include "nn/input/feed.h"
#include "singa/nn/net.h"

namespace singa {

// A net for predictions: it computes one layer's feature for rows that the caller gives.
struct NetUse {
  std::string output;            // see KeepOutput
  int64_t rows = 1;              // rows of a batch; >= 1
  const FedRows* fed = nullptr;  // input of each forward pass; outlives the net
  bool step_by_step = false;     // a row is one time step, and each batch is the next one
};

struct NetOptions {
  Phase phase = kTrain;
  std::string asker = {};  // the job's field that needs the phase, for errors
  int parts = 1;           // workers of the group
  int worker = 0;          // number of the worker that the net is for
  bool units = true;       // partition_dim: 1 has an effect; false: all layers are divided by rows
  // Each worker has a GPU of its own, and these exchange features; false: the host does.
  bool gpus_exchange = false;
  int group = 0, groups = 1;  // worker group and number of groups; each reads other records
  bool fold = true;
  // Whether features may share memory after their last reader in a forward-backward pass is done.
  bool reuse = true;
  bool gradients = true;        // whether params train (false in test and validation)
  const NetUse* use = nullptr;  // not null: a net for predictions, of one worker, without gradients
};

// Builds the part of `options.worker`, whose params go to `params`. With `options.use` the output
// is the last node. If there are errors, the net is not usable.
Net BuildNet(const NetProto& conf, const NetOptions& options, ParamTable* params,
             ConfigErrors* errors);
// Does the same, but throws the first error, relative to the JobProto.
Net BuildNet(const NetProto& conf, const NetOptions& options, ParamTable* params);

}  // namespace singa
