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
  std::string asker = "";  // the field of the job that asks for the phase, for errors
  int parts = 1;           // workers of the group
  int worker = 0;          // whose part it is
  // Whether layers are cut by units where partition_dim says so; else all are cut by rows.
  bool units = false;
  int group = 0, groups = 1;  // of the job: each reads records of its own
  bool fold = true;
  // Whether features may share memory once their last reader in a forward-backward pass is done.
  bool reuse = true;
  bool gradients = true;        // whether anything trains (false in test and validation)
  const NetUse* use = nullptr;  // not null: of one worker, without gradients
};

// The part of `options.worker`. Where `options.use` is set, its output is the last node.
// `tables`: of the part's params; with `options.units`, where every part is set up as shapes cross
// workers, tables[i] gets part i's. With errors the net is not usable.
Net BuildNet(const NetProto& conf, const NetOptions& options, std::vector<ParamTable*> tables,
             ConfigErrors* errors);
// The same without `options.units`. Throws its first error, relative to the JobProto.
Net BuildNet(const NetProto& conf, const NetOptions& options, ParamTable* params);

}  // namespace singa
