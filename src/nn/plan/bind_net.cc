#include "nn/plan/bind_net.h"

#include <glog/logging.h>

#include <utility>

#include "nn/plan/net_layout.h"
#include "nn/plan/net_transfers.h"
#include "nn/plan/under_layer.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"

namespace singa {
namespace {

void BindPort(const ShapedValue& value, const SideLayout& side, const Read& read, bool with_grad,
              Port* port) {
  const ValueTensors& tensors = side.tensors[read.value];
  const int64_t offset = read.first_step * value.step_bytes();
  if (tensors.data >= 0) port->data.Bind(side.At(tensors.data) + offset);
  if (with_grad && tensors.grad >= 0) port->grad.Bind(side.At(tensors.grad) + offset);
  if (tensors.label >= 0)
    port->label.Bind(side.At(tensors.label) + read.first_step * value.label_bytes());
}

// Returns a port for Layer::CheckInputs, without gradient and memory.
Port CheckedPort(const Port& port) {
  Port checked;
  checked.data.SetShape(port.data.shape());
  checked.label.SetShape(port.label.shape(), DType::kI32);
  checked.span = port.span;
  return checked;
}

// Allocates kForever buffers and metrics.
void AllocateLasting(const Context& ctx, Declare* declare) {
  for (Buffer& buffer : declare->declared().buffers)
    if (buffer.keep == Keep::kForever)
      buffer.tensor = Allocate(ctx, buffer.tensor.shape(), buffer.tensor.type());
  Declared& declared = declare->declared();
  if (declared.metrics.empty()) return;
  const auto count = static_cast<int64_t>(declared.metrics.size());
  declared.metric_cells = Allocate(ctx, {count, 2}, DType::kF64);
  declared.seen_cells = declared.metric_cells;
  if (ctx.stream)
    declared.seen_cells.Own(ctx.stream->gpu().AllocatePinned(declared.metric_cells.bytes()));
  for (int64_t i = 0; i < count; ++i) {
    Metric& metric = declared.metrics[i];
    metric.cell.Bind(declared.metric_cells.as<double>() + 2 * i);
    metric.seen = metric.cell;
    metric.seen.Bind(declared.seen_cells.as<double>() + 2 * i);
  }
}

}  // namespace

void BindNet(const Context& ctx, NetArena arena, Net* net) {
  NetLayout& layout = net->layout();
  layout.sides[ctx.stream ? kDeviceSide : kHostSide].arena = std::move(arena.main);
  if (ctx.stream) layout.sides[kHostSide].arena = std::move(arena.host);
  for (SideLayout& side : layout.sides) {
    CHECK_GE(side.arena.bytes(), side.plan.bytes());
    side.memory = side.arena.as<uint8_t>();
    side.scratch_memory = side.At(side.scratch);
  }
  size_t next_buffer = 0;
  for (NetNode& node : net->nodes()) {
    const std::vector<Read>&in = layout.graph[node.place].in, &out = layout.graph[node.place].out;
    const SideLayout& side = layout.SideOf(node);
    const auto bind = [&](const SideLayout& of, const Read& read, bool with_grad, Port* port) {
      BindPort(layout.values[read.value], of, read, with_grad, port);
    };
    for (size_t k = 0; k < in.size(); ++k) bind(side, in[k], node.in[k]->wants_grad, node.in[k]);
    for (size_t k = 0; k < out.size(); ++k)
      bind(side, out[k], node.out[k]->wants_grad, node.out[k]);
    node.checked = node.in;
    if (node.on_device) {
      node.checked.clear();
      node.checked_ports.clear();
      for (size_t k = 0; k < in.size(); ++k) {
        node.checked.push_back(&node.checked_ports.emplace_back(CheckedPort(*node.in[k])));
        bind(layout.sides[kHostSide], in[k], false, node.checked[k]);
      }
    }
    for (Buffer& buffer : node.declared().buffers) {
      const int place = side.buffers[next_buffer++];
      if (buffer.keep != Keep::kForever) buffer.tensor.Bind(side.At(place));
    }
    try {
      AllocateLasting(node.ContextOf(ctx), node.declare.get());
    } catch (const DeviceError& error) {
      throw UnderLayer(node, error);
    }
  }
  layout.transfers = NetTransfers(net->nodes(), layout).Make(ctx);
}

}  // namespace singa
