// CostNet has what the layers of a net cost if a group's workers divide them by rows or by units.
// It is the input of the cost model (step_cost.h) and of the search for the best cut
// (plan_search.h). All costs are of one worker and one step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace singa {

// The dimension by which the workers divide a layer: LayerProto.partition_dim.
enum class Dimension : uint8_t { kRows = 0, kUnits = 1 };

// The costs of a layer that is divided in one way.
struct LayerCost {
  double forward_ms = 0, backward_ms = 0;
  double update_ms = 0;     // sums of gradients and updates, by the worker's own threads
  double sent_ms = 0;       // time of the link between hosts for gradients and new values
  int64_t sent_bytes = 0;   // what a host sends for them
  int64_t moved_bytes = 0;  // what a worker gets from other workers for them
  int64_t bytes = 0;        // memory of the worker: features, params, gradients, states
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
  std::optional<LayerCost> rows, units;  // none: the workers cannot divide it so
  bool reads_all = false;  // by units it reads all units of its sources (UnitCut::kOwn)
  bool dense = false;      // it reads all units, and has one output for each of its units and rows
  std::vector<CostRead> reads;
  std::vector<CostOutput> outputs;

  bool Has(Dimension cut) const { return (cut == Dimension::kRows ? rows : units).has_value(); }
  const LayerCost& Of(Dimension cut) const { return cut == Dimension::kRows ? *rows : *units; }
};

// The speed at which features move between the workers.
struct BridgeRates {
  int workers = 1;
  int here = 1;               // workers of one host
  double copy_ms_per_mb = 0;  // between workers of a host, a worker's own copies
  double link_ms_per_mb = 0;  // between hosts
  double meeting_ms = 0;      // a transfer between workers of a host, besides its bytes
  double link_ms = 0;         // a transfer between hosts, besides its bytes
};

struct CostNet {
  std::vector<CostLayer> layers;  // in forward order
  BridgeRates bridges;
  double step_ms = 0;  // a step, besides its layers
  int64_t bytes = 0;   // memory of a worker, besides its layers
};

// The dimension of each layer.
using Dimensions = std::vector<Dimension>;

}  // namespace singa
