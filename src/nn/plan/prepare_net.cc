#include "nn/plan/prepare_net.h"

#include "base/round_up.h"
#include "nn/plan/net_layout.h"
#include "nn/plan/net_transfers.h"
#include "nn/plan/plan_side.h"
#include "nn/plan/under_layer.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void SayWhoWantsGradients(const Node& graph_node, const std::vector<ShapedValue>& values,
                          NetNode* node) {
  for (size_t k = 0; k < node->in.size(); ++k)
    node->in[k]->wants_grad = node->runs_backward && values[graph_node.in[k].value].needs_grad();
  for (size_t k = 0; k < node->out.size(); ++k) {
    const Read& out = graph_node.out[k];
    node->out[k]->wants_grad = node->runs_backward && values[out.value].needs_grad(out);
  }
}

void PrepareLayers(const Context& ctx, Net* net) {
  const NetLayout& layout = net->layout();
  for (NetNode& node : net->nodes()) {
    Context own = node.ContextOf(ctx);
    own.layer = node.full_name;
    SayWhoWantsGradients(layout.graph[node.place], layout.values, &node);
    try {
      node.layer->Prepare(own, *node.declare, node.in, node.out);
    } catch (const ConfigError& error) {
      throw error.Under(node.path);
    } catch (const DeviceError& error) {
      throw UnderLayer(node, error);
    }
    const bool idle = node.fused || (node.traits.aliases_in && !node.runs_backward);
    if (!ctx.choices || idle) continue;
    for (const KernelSlot* slot : node.declared().slots)
      ctx.choices->push_back({node.full_name, slot->name(), slot->Choice(own)});
  }
}

// Returns the bytes that nodes on a device, or nodes on the host, keep forever.
int64_t ForeverBytes(const Net& net, bool on_device) {
  constexpr int64_t kAligned = MemoryPlan::kAlignment;
  constexpr int64_t kCell = 2 * sizeof(double);  // of a metric
  int64_t bytes = 0;
  for (const NetNode& node : net.nodes()) {
    if (node.on_device != on_device) continue;
    bytes += RoundUp(kCell * std::ssize(node.declared().metrics), kAligned);
    bytes += node.declared().kept;
    for (const Buffer& buffer : node.declared().buffers)
      if (buffer.keep == Keep::kForever) bytes += RoundUp(buffer.tensor.bytes(), kAligned);
  }
  return bytes;
}

// Sums up for each layer the tensors on that side: its outputs, and the buffers and scratch of the
// node's own side. Splits have no tensors of their own.
LargestLayer LargestOn(const Net& net, bool device) {
  const NetLayout& layout = net.layout();
  const std::vector<ValueTensors>& tensors = layout.sides[device ? kDeviceSide : kHostSide].tensors;
  LargestLayer largest;
  for (const NetNode& node : net.nodes()) {
    if (node.traits.aliases_in) continue;
    const bool here = node.on_device == device;
    int64_t bytes = here ? node.declared().scratch : 0;
    for (const Buffer& buffer : node.declared().buffers)
      if (here && buffer.keep != Keep::kForever) bytes += buffer.tensor.bytes();
    for (const Read& out : layout.graph[node.place].out) {
      const ShapedValue& value = layout.values[out.value];
      const ValueTensors& there = tensors[out.value];
      const int64_t features = (there.data >= 0) + (there.grad >= 0);
      bytes += out.steps * features * value.step_bytes();
      if (there.label >= 0) bytes += out.steps * value.label_bytes();
    }
    if (bytes > largest.bytes) largest = {node.full_name, bytes};
  }
  return largest;
}

}  // namespace

NetMemory PrepareNet(const Context& ctx, Net* net) {
  std::deque<NetNode>& nodes = net->nodes();
  NetLayout& layout = net->layout();
  layout.placement = PlaceNodes(nodes, layout.graph, layout.values.size(), ctx.stream != nullptr);
  for (NetNode& node : nodes) node.on_device = layout.placement.nodes[node.place] == kDeviceSide;
  PrepareLayers(ctx, net);
  for (const Side side : {kHostSide, kDeviceSide}) {
    // Copies of the last step may still read the host's side while the next one begins.
    const bool reuse = layout.reuse && (side == kDeviceSide || !ctx.stream);
    layout.sides[side] = PlanSide(nodes, layout, side, reuse);
  }
  const NetTransfers transfers(nodes, layout);
  int64_t staged = 0;
  for (size_t i = 0; ctx.uploads && i < nodes.size(); ++i) staged += transfers.StagedBytes(i);
  const SideLayout& main = layout.sides[ctx.stream ? kDeviceSide : kHostSide];
  return {.arena = main.plan.bytes(),
          .host_arena = ctx.stream ? layout.sides[kHostSide].plan.bytes() : 0,
          .forever = ForeverBytes(*net, ctx.stream != nullptr) + staged,
          .host_forever = ctx.stream ? ForeverBytes(*net, false) : 0,
          .unplanned = main.plan.unplanned(),
          .largest = LargestOn(*net, ctx.stream != nullptr),
          .host_largest = ctx.stream ? LargestOn(*net, false) : LargestLayer{}};
}

}  // namespace singa
