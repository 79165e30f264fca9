// CostNet has what the layers of a net cost if a group's workers divide them in one way or another.
// It is the input of the cost model (step_cost.h) and of the search for the best plan
// (plan_search.h). All costs are of one worker and one step.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nn/graph/bridge_layout.h"

namespace singa {

// The costs of a layer that is divided in one way.
struct LayerCost {
  double forward_ms = 0, backward_ms = 0;
  double update_ms = 0;     // sums of gradients and updates, by the worker's own threads
  double coding_ms = 0;     // the part of update_ms that encodes and decodes gradients
  double sent_ms = 0;       // time of the link between hosts for gradients and new values
  int64_t sent_bytes = 0;   // what a host sends for them
  int64_t moved_bytes = 0;  // what a worker gets from other workers for them
  int64_t bytes = 0;        // memory of the worker: features, and gradients that are stored
};

struct CostRead {
  int source = 0;  // index in CostNet::layers, below the reader's own
  int output = 0;  // the source's output
};

struct CostOutput {
  int64_t bytes = 0;           // of the whole batch, of all time steps
  bool wants_gradient = true;  // a gradient goes back over a bridge
};

struct CostLayer {
  std::string name, type;
  std::map<Layout, LayerCost> costs;  // of the ways in which the workers can divide it
  bool reads_all = false;  // its units depend on all units of its sources (UnitCut::kOwn)
  bool dense = false;      // it reads all units, and has one output for each of its units and rows
  std::vector<CostRead> reads;
  std::vector<CostOutput> outputs;

  bool Has(const Layout& layout) const { return costs.contains(layout); }
  const LayerCost& Of(const Layout& layout) const { return costs.at(layout); }
};

// The speed at which features move between the workers.
struct BridgeRates {
  int workers = 1;
  int here = 1;               // workers of one host
  int batches = 1;            // of a step; each crosses the bridges
  double copy_ms_per_mb = 0;  // between workers of a host, a worker's own copies
  double link_ms_per_mb = 0;  // between hosts
  double meeting_ms = 0;      // a transfer between workers of a host, besides its bytes
  double link_ms = 0;         // a transfer between hosts, besides its bytes
};

struct CostNet {
  std::vector<CostLayer> layers;  // in forward order
  BridgeRates bridges;
  double step_ms = 0;  // a step, besides its layers
  int64_t bytes = 0;   // memory of a worker besides, such as params and their states
};

// How the workers divide each layer.
using Layouts = std::vector<Layout>;

}  // namespace singa
