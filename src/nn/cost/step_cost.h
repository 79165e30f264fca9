// The cost model of a step. A worker computes the layers in forward order, and their gradients in
// reverse. It waits for each bridge. Gradients and new values go over the link between hosts in the
// order in which they are complete, while the worker goes on. A step ends when both are done.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nn/cost/bridge_share.h"
#include "nn/cost/cost_net.h"

namespace singa {

// One bridge: a feature that readers need in another layout than the source has.
struct BridgeCost {
  double forward_ms = 0, backward_ms = 0;
  int64_t moved_bytes = 0;  // what a worker gets from others
  int64_t sent_bytes = 0;   // what a host sends to others
  int64_t bytes = 0;        // memory of a worker: the feature as its readers need it
  bool backward_on_link = false;
};

// `need`: of the readers; `share`: that crosses the bridge to them.
BridgeCost CostOf(const BridgeRates& rates, const CostOutput& output, const Need& need,
                  const BridgeShare& share);

// Two clocks that run from the beginning of a step, in ms, and the memory of a worker.
struct StepClocks {
  double worker_ms = 0;  // the worker has done the layers so far
  double link_ms = 0;    // the link has sent what these layers gave it
  int64_t bytes = 0;

  double end_ms() const { return worker_ms > link_ms ? worker_ms : link_ms; }
};

// The need of a reader for one output of a layer.
struct ReaderNeed {
  int output = 0;
  Need need;
  bool operator==(const ReaderNeed&) const = default;
};

// Returns the bridges behind a layer in the layout, one for each output and need that the layer
// does not meet by itself. `needs` may name a need twice.
std::vector<BridgeCost> BridgesBehind(const CostNet& net, int layer, const Layout& layout,
                                      const std::vector<ReaderNeed>& needs, BridgeShares* shares);

// Adds a layer to the clocks of the layers behind it: its forward time, the bridges behind it,
// its gradients.
StepClocks Add(StepClocks clocks, const LayerCost& layer, const std::vector<BridgeCost>& behind);

// One layer's row of the table.
struct LayerReport {
  double compute_ms = 0;   // forward, backward, sums and updates
  double transfer_ms = 0;  // bridges behind it, gradients and values
  double hidden_ms = 0;    // the part of it that the worker does not wait for
  int64_t moved_bytes = 0, sent_bytes = 0;
  int64_t bytes = 0;
};

struct StepCost {
  double step_ms = 0, compute_ms = 0;
  double coding_ms = 0;     // the part of compute_ms that encodes and decodes gradients
  double exposed_ms = 0;    // the part of all transfers that the worker waits for
  int64_t moved_bytes = 0;  // what a worker gets from other workers
  int64_t sent_bytes = 0;   // what a host sends over its link
  int64_t bytes = 0;        // memory of a worker
  std::vector<LayerReport> layers;
};

// Returns the cost of a step. REQUIRES: each layer has the costs of its layout.
StepCost CostOfStep(const CostNet& net, const Layouts& layouts);

}  // namespace singa
