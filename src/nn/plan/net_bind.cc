// Net::Bind: binds every tensor of a net to its place in the arena.
#include <glog/logging.h>

#include "nn/plan/net_storage.h"
#include "nn/plan/net_transfers.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"

namespace singa {
namespace {

void BindPort(const ShapedValue& value, const ValueTensors& tensors, const MemoryPlan& plan,
              const Read& read, bool with_grad, uint8_t* arena, Port* port) {
  const int64_t offset = read.first_step * value.step_bytes();
  if (tensors.data >= 0) port->data.Bind(arena + plan.Offset(tensors.data) + offset);
  if (with_grad && tensors.grad >= 0) port->grad.Bind(arena + plan.Offset(tensors.grad) + offset);
  if (tensors.label >= 0)
    port->label.Bind(arena + plan.Offset(tensors.label) + read.first_step * value.label_bytes());
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
  for (Buffer& buffer : declare->buffers())
    if (buffer.keep == Keep::kForever)
      buffer.tensor = Allocate(ctx, buffer.tensor.shape(), buffer.tensor.type());
  for (Metric& metric : declare->metrics()) {
    metric.cell = Allocate(ctx, metric.cell.shape(), metric.cell.type());
    metric.seen = metric.cell;
    if (ctx.stream) metric.seen.Own(ctx.stream->gpu().AllocatePinned(metric.cell.bytes()));
  }
}

// Makes the error of an arena that is too large.
DeviceError TooLittle(const char* where, const LargestLayer& largest, const DeviceError& error) {
  constexpr int64_t kMiB = 1 << 20;
  std::string most;
  if (!largest.name.empty())
    most = StrCat(", most of them for layer \"", largest.name, "\" (",
                  (largest.bytes + kMiB - 1) / kMiB, " MiB)");
  return DeviceError(StrCat("features and gradients", where, most, ": ", error.what()));
}

}  // namespace

NetArena NetArena::Allocate(const Context& ctx, const NetMemory& memory) {
  NetArena arena;
  try {
    arena.main = singa::Allocate(ctx, {memory.arena}, DType::kU8);
  } catch (const DeviceError& error) {
    throw TooLittle("", memory.largest, error);
  }
  arena.host.SetShape({memory.host_arena}, DType::kU8);
  if (memory.host_arena == 0) return arena;
  try {
    arena.host.Own(ctx.stream->gpu().AllocatePinned(memory.host_arena));
  } catch (const DeviceError& error) {
    throw TooLittle(" in pinned memory of the host", memory.host_largest, error);
  }
  return arena;
}

void Net::Bind(const Context& ctx, NetArena arena) {
  Storage& s = *storage_;
  s.sides[ctx.stream ? kDeviceSide : kHostSide].arena = std::move(arena.main);
  if (ctx.stream) s.sides[kHostSide].arena = std::move(arena.host);
  for (Storage::OfSide& side : s.sides) {
    CHECK_GE(side.arena.bytes(), side.plan.bytes());
    side.scratch_memory = side.At(side.scratch);
  }
  size_t next_buffer = 0;
  for (NetNode& node : nodes_) {
    const std::vector<Read>&in = s.graph[node.place].in, &out = s.graph[node.place].out;
    Storage::OfSide& side = s.sides[s.placement.nodes[node.place]];
    const auto bind = [&s](Storage::OfSide& of, const Read& read, bool with_grad, Port* port) {
      BindPort(s.values[read.value], of.tensors[read.value], of.plan, read, with_grad,
               of.arena.as<uint8_t>(), port);
    };
    for (size_t k = 0; k < in.size(); ++k) bind(side, in[k], node.in[k]->wants_grad, node.in[k]);
    for (size_t k = 0; k < out.size(); ++k)
      bind(side, out[k], node.out[k]->wants_grad, node.out[k]);
    node.checked = node.in;
    if (OnDevice(node)) {
      node.checked.clear();
      node.checked_ports.clear();
      for (size_t k = 0; k < in.size(); ++k) {
        node.checked.push_back(&node.checked_ports.emplace_back(CheckedPort(*node.in[k])));
        bind(s.sides[kHostSide], in[k], false, node.checked[k]);
      }
    }
    for (Buffer& buffer : node.declare->buffers()) {
      const int place = side.buffers[next_buffer++];
      if (buffer.keep != Keep::kForever) buffer.tensor.Bind(side.At(place));
    }
    try {
      AllocateLasting(ContextOf(node, ctx), node.declare.get());
    } catch (const DeviceError& error) {
      throw UnderLayer(node, error);
    }
  }
  s.transfers = NetTransfers(nodes_, s).Make(ctx);
}

}  // namespace singa
