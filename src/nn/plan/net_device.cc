// How a net's work divides between a device and the host.
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

// By what it makes and keeps for a step; splits make nothing.
std::string Net::LargestLayer() const {
  const NetNode* largest = nullptr;
  int64_t most = 0;
  for (const NetNode& node : nodes_) {
    int64_t bytes = node.declare->scratch();
    for (const Port* port : node.out) bytes += (node.runs_backward ? 2 : 1) * port->data.bytes();
    for (const Buffer& buffer : node.declare->buffers())
      if (buffer.keep != Keep::kForever) bytes += buffer.tensor.bytes();
    if (node.traits.aliases_in || bytes <= most) continue;
    largest = &node;
    most = bytes;
  }
  if (!largest) return "";
  return StrCat("them for layer \"", largest->full_name, "\" (", (most + (1 << 20) - 1) >> 20,
                " MiB)");
}

std::string Net::HostsPart() const {
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
