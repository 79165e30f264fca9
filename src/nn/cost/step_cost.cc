#include "nn/cost/step_cost.h"

#include <algorithm>

namespace singa {
namespace {

constexpr double kMb = 1e6;

// Returns the part of a feature that a worker gets from one other worker.
double RegionShare(Share from, Share to, int workers) {
  const double n = workers;
  if (to == Share::kAll) return 1 / n;  // all that the other has
  return from == to ? 0 : 1 / (n * n);  // its rows of the other's units, or the other way round
}

std::vector<Need> NeedsOf(const CostNet& net, const Dimensions& cuts, int layer) {
  std::vector<Need> needs;
  for (size_t j = static_cast<size_t>(layer) + 1; j < net.layers.size(); ++j)
    for (const CostRead& read : net.layers[j].reads)
      if (read.source == layer) needs.push_back({read.output, NeedOf(net.layers[j], cuts[j])});
  return needs;
}

}  // namespace

BridgeCost CostOf(const BridgeRates& rates, const CostOutput& output, Share from, Share to) {
  BridgeCost cost;
  if (from == to || rates.workers < 2) return cost;
  const double region = static_cast<double>(output.bytes) * RegionShare(from, to, rates.workers);
  const int others_here = rates.here - 1, others_away = rates.workers - rates.here;
  const double sent = region * rates.here * others_away;  // by all workers of the host
  double ms = region * others_here / kMb * rates.copy_ms_per_mb;
  if (others_here > 0) ms += rates.meeting_ms;
  if (others_away > 0) ms += sent / kMb * rates.link_ms_per_mb + rates.link_ms;
  const int passes = output.wants_gradient ? 2 : 1;
  cost.forward_ms = ms;
  cost.backward_ms = output.wants_gradient ? ms : 0;
  cost.moved_bytes = static_cast<int64_t>(region * (rates.workers - 1)) * passes;
  cost.sent_bytes = static_cast<int64_t>(sent) * passes;
  cost.on_link = others_away > 0;
  return cost;
}

std::vector<BridgeCost> BridgesBehind(const CostNet& net, int layer, Dimension cut,
                                      const std::vector<Need>& needs) {
  std::vector<BridgeCost> bridges;
  for (size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].share == ShareOf(cut)) continue;
    if (std::find(needs.begin(), needs.begin() + static_cast<std::ptrdiff_t>(i), needs[i]) !=
        needs.begin() + static_cast<std::ptrdiff_t>(i))
      continue;  // readers share it
    const CostOutput& output = net.layers[layer].outputs[needs[i].output];
    bridges.push_back(CostOf(net.bridges, output, ShareOf(cut), needs[i].share));
  }
  return bridges;
}

StepClocks Add(StepClocks clocks, const LayerCost& layer, const std::vector<BridgeCost>& behind) {
  double forward_ms = layer.forward_ms;
  for (const BridgeCost& bridge : behind) {
    forward_ms += bridge.forward_ms;
    // A gradient waits for what is on the link already.
    if (bridge.on_link && bridge.backward_ms > 0)
      clocks.worker_ms = clocks.link_ms = clocks.end_ms() + bridge.backward_ms;
    else
      clocks.worker_ms += bridge.backward_ms;
  }
  clocks.worker_ms += layer.backward_ms + layer.update_ms;
  if (layer.sent_ms > 0) clocks.link_ms = clocks.end_ms() + layer.sent_ms;
  // The forward pass comes before all that is counted so far.
  clocks.worker_ms += forward_ms;
  clocks.link_ms = std::max(clocks.link_ms + forward_ms, clocks.worker_ms);
  clocks.bytes += layer.bytes;
  return clocks;
}

StepCost CostOfStep(const CostNet& net, const Dimensions& cuts) {
  StepCost cost;
  cost.layers.resize(net.layers.size());
  cost.bytes = net.bytes;
  StepClocks clocks;
  for (int i = static_cast<int>(net.layers.size()) - 1; i >= 0; --i) {
    const LayerCost& layer = net.layers[i].Of(cuts[i]);
    const auto behind = BridgesBehind(net, i, cuts[i], NeedsOf(net, cuts, i));
    LayerReport& report = cost.layers[i];
    report.compute_ms = layer.forward_ms + layer.backward_ms + layer.update_ms;
    report.transfer_ms = layer.sent_ms;
    report.moved_bytes = layer.moved_bytes;
    report.sent_bytes = layer.sent_bytes;
    report.bytes = layer.bytes;
    for (const BridgeCost& bridge : behind) {
      report.transfer_ms += bridge.forward_ms + bridge.backward_ms;
      report.moved_bytes += bridge.moved_bytes;
      report.sent_bytes += bridge.sent_bytes;
    }
    const double before = clocks.end_ms();
    clocks = Add(clocks, layer, behind);
    const double longer = clocks.end_ms() - before - report.compute_ms;
    report.hidden_ms = std::clamp(report.transfer_ms - longer, 0.0, report.transfer_ms);
    cost.compute_ms += report.compute_ms;
    cost.moved_bytes += report.moved_bytes;
    cost.sent_bytes += report.sent_bytes;
    cost.bytes += report.bytes;
  }
  cost.step_ms = clocks.end_ms() + net.step_ms;
  return cost;
}

}  // namespace singa
