// Functions of Net that divide the work between a device and the host.
#include "nn/plan/net_storage.h"
#include "nn/plan/net_transfers.h"
#include "singa/tensor/memory.h"

namespace singa {

bool Net::OnDevice(const NetNode& node) const {
  return storage_->placement.nodes[node.place] == kDeviceSide;
}

Context Net::ContextOf(const NetNode& node, const Context& ctx) const {
  return OnDevice(node) ? ctx : ctx.ForHost();
}

// Sums up for each layer the tensors on that side: its outputs, and the buffers and scratch of the
// node's own side. Splits have no tensors of their own.
LargestLayer Net::LargestOn(bool device) const {
  const Storage& s = *storage_;
  const std::vector<ValueTensors>& tensors = s.sides[device ? kDeviceSide : kHostSide].tensors;
  LargestLayer largest;
  for (const NetNode& node : nodes_) {
    if (node.traits.aliases_in) continue;
    const bool here = OnDevice(node) == device;
    int64_t bytes = here ? node.declare->scratch() : 0;
    for (const Buffer& buffer : node.declare->buffers())
      if (here && buffer.keep != Keep::kForever) bytes += buffer.tensor.bytes();
    for (const Read& out : s.graph[node.place].out) {
      const ShapedValue& value = s.values[out.value];
      const ValueTensors& there = tensors[out.value];
      const int64_t features = (there.data >= 0) + (there.grad >= 0);
      bytes += out.steps * features * value.step_bytes();
      if (there.label >= 0) bytes += out.steps * value.label_bytes();
    }
    if (bytes > largest.bytes) largest = {node.full_name, bytes};
  }
  return largest;
}

std::string Net::WhyHostWorks() const {
  const NetTransfers transfers(nodes_, *storage_);
  for (const NetNode& node : nodes_) {
    const bool reads_device = !node.traits.aliases_in && transfers.ReadsDevice(node.place);
    if (reads_device && OnDevice(node))
      return "the host checks labels or indices that a layer on the GPU makes";
    if (OnDevice(node)) continue;
    if (reads_device || node.runs_backward || !node.declare->params().empty() ||
        !node.declare->metrics().empty())
      return StrCat("layer \"", node.name, "\" runs on the host, and does more than read records");
  }
  return "";
}

void Net::ComputeOnHost(Context& ctx, Phase flags) {
  for (NetNode& node : nodes_) {
    if (!OnDevice(node))
      ComputeFeature(ctx, node, flags);
    else if (!node.fused)
      Check(ctx, node, flags);
  }
}

void Net::SeeMetrics(Context& ctx) {
  if (!ctx.stream) return;
  for (NetNode& node : nodes_)
    for (Metric& metric : node.declare->metrics())
      if (OnDevice(node))
        ctx.stream->Copy(metric.cell.as<void>(), metric.seen.as<void>(), metric.cell.bytes());
  ctx.stream->Wait();
}

void Net::ClearMetrics(Context& ctx) {
  for (NetNode& node : nodes_) {
    Context own = ContextOf(node, ctx);
    for (Metric& metric : node.declare->metrics())
      ZeroBytes(own, metric.cell.as<void>(), metric.cell.bytes());
  }
}

}  // namespace singa
