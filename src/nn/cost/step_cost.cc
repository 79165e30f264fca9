#include "nn/cost/step_cost.h"

#include <algorithm>

namespace singa {
namespace {

constexpr double kMb = 1e6;

std::vector<ReaderNeed> NeedsOf(const CostNet& net, const Layouts& layouts, int layer) {
  std::vector<ReaderNeed> needs;
  for (size_t j = static_cast<size_t>(layer) + 1; j < net.layers.size(); ++j)
    for (const CostRead& read : net.layers[j].reads)
      if (read.source == layer)
        needs.push_back({read.output, NeedOf(layouts[j], net.layers[j].reads_all)});
  return needs;
}

// A worker waits for the bytes of its host's link, and copies those of its host's workers.
double MsOf(const BridgeRates& rates, const TransferShare& share, double mb) {
  double ms = share.copied * mb * rates.copy_ms_per_mb;
  if (share.copied > 0) ms += rates.meeting_ms;
  if (share.sent > 0) ms += share.sent * mb * rates.link_ms_per_mb + rates.link_ms;
  return ms;
}

}  // namespace

BridgeCost CostOf(const BridgeRates& rates, const CostOutput& output, const Need& need,
                  const BridgeShare& share) {
  BridgeCost cost;
  cost.bytes = output.bytes / (need.layout.rows * need.layout.units);
  const auto bytes = static_cast<double>(output.bytes);
  const auto add = [&](const TransferShare& one) {
    cost.moved_bytes += static_cast<int64_t>(one.got * bytes * rates.batches);
    cost.sent_bytes += static_cast<int64_t>(one.sent * bytes * rates.batches);
    return MsOf(rates, one, bytes / kMb) * rates.batches;
  };
  cost.forward_ms = add(share.feature);
  if (!output.wants_gradient) return cost;
  cost.backward_ms = add(share.gradient);
  cost.backward_on_link = share.gradient.sent > 0;
  return cost;
}

std::vector<BridgeCost> BridgesBehind(const CostNet& net, int layer, const Layout& layout,
                                      const std::vector<ReaderNeed>& needs, BridgeShares* shares) {
  std::vector<BridgeCost> bridges;
  for (auto at = needs.begin(); at != needs.end(); ++at) {
    if (at->need == Need{layout, false}) continue;
    if (std::find(needs.begin(), at, *at) != at) continue;  // readers share it
    bridges.push_back(CostOf(net.bridges, net.layers[layer].outputs[at->output], at->need,
                             shares->Of(layout, at->need)));
  }
  return bridges;
}

StepClocks Add(StepClocks clocks, const LayerCost& layer, const std::vector<BridgeCost>& behind) {
  double forward_ms = layer.forward_ms;
  for (const BridgeCost& bridge : behind) {
    forward_ms += bridge.forward_ms;
    clocks.bytes += bridge.bytes;
    // A gradient waits for what is on the link already.
    if (bridge.backward_on_link)
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

StepCost CostOfStep(const CostNet& net, const Layouts& layouts) {
  StepCost cost;
  cost.layers.resize(net.layers.size());
  cost.bytes = net.bytes;
  BridgeShares shares(net.bridges.workers, net.bridges.here);
  StepClocks clocks;
  for (int i = static_cast<int>(net.layers.size()) - 1; i >= 0; --i) {
    const LayerCost& layer = net.layers[i].Of(layouts[i]);
    const auto behind = BridgesBehind(net, i, layouts[i], NeedsOf(net, layouts, i), &shares);
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
      report.bytes += bridge.bytes;
    }
    const double before = clocks.end_ms();
    clocks = Add(clocks, layer, behind);
    const double longer = clocks.end_ms() - before - report.compute_ms;
    report.hidden_ms = std::clamp(report.transfer_ms - longer, 0.0, report.transfer_ms);
    cost.compute_ms += report.compute_ms;
    cost.coding_ms += layer.coding_ms;
    cost.moved_bytes += report.moved_bytes;
    cost.sent_bytes += report.sent_bytes;
    cost.bytes += report.bytes;
  }
  cost.exposed_ms = std::max(0.0, clocks.end_ms() - cost.compute_ms);
  cost.step_ms = clocks.end_ms() + net.step_ms;
  return cost;
}

}  // namespace singa
