// Net::Bind: binds every tensor of a net to its place in the arena.
#include <glog/logging.h>

#include "nn/plan/net_storage.h"
#include "singa/tensor/memory.h"

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

// What a node checks, without gradients.
Port CheckedPort(const Port& port) {
  Port checked;
  checked.data.SetShape(port.data.shape());
  checked.label.SetShape(port.label.shape(), DType::kI32);
  checked.span = port.span;
  return checked;
}

}  // namespace

// Copies of what lies on both sides; `places`: the node's inputs' gradients, or its outputs.
class NetTransfers {
 public:
  NetTransfers(const std::deque<NetNode>& nodes, Net::Storage* storage)
      : nodes_(nodes), s_(*storage), makers_(storage->values.size()) {
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const Read& out : s_.graph[i].out) makers_[out.value].push_back(i);
  }

  std::vector<Transfers> Make() {
    std::vector<Transfers> all(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      Transfers& own = all[i];
      const Side side = s_.placement.nodes[i];
      own.to_device = side == kHostSide;
      if (!nodes_[i].traits.aliases_in) {
        for (const Read& out : s_.graph[i].out) AddData(side, out, &own);
        own.reads_device = ReadsDevice(i);
      }
      if (!nodes_[i].runs_backward) continue;
      for (const Read& in : s_.graph[i].in) AddGradient(side, in, &own);
      for (const Read& out : s_.graph[i].out)
        if (side == kHostSide && s_.placement.grads[out.value][kDeviceSide])
          own.reads_device_grad = true;
    }
    return all;
  }

 private:
  void Add(Side side, const Read& read, int ValueTensors::*which, int64_t step_bytes,
           std::vector<Transfers::Copy>* copies) {
    const Side other = side == kHostSide ? kDeviceSide : kHostSide;
    const int from = s_.sides[side].tensors[read.value].*which;
    const int to = s_.sides[other].tensors[read.value].*which;
    if (from < 0 || to < 0) return;
    const int64_t offset = read.first_step * step_bytes;
    copies->push_back({s_.sides[side].At(from) + offset, s_.sides[other].At(to) + offset,
                       read.steps * step_bytes});
  }
  void AddData(Side side, const Read& out, Transfers* own) {
    Add(side, out, &ValueTensors::data, s_.values[out.value].step_bytes(), &own->of_feature);
    Add(side, out, &ValueTensors::label, s_.values[out.value].label_bytes(), &own->of_feature);
  }
  void AddGradient(Side side, const Read& in, Transfers* own) {
    if (s_.values[in.value].needs_grad(in))
      Add(side, in, &ValueTensors::grad, s_.values[in.value].step_bytes(), &own->of_gradient);
  }

  // Whether node i looks on the host at what a node on the device makes.
  bool ReadsDevice(size_t i) const {
    for (size_t k = 0; k < s_.graph[i].in.size(); ++k)
      if (s_.placement.nodes[i] == kHostSide || nodes_[i].traits.checks >> k & 1)
        if (MadeOnDevice(s_.graph[i].in[k].value)) return true;
    return false;
  }
  // Through splits, which make nothing.
  bool MadeOnDevice(int value) const {
    for (const size_t maker : makers_[value]) {
      if (nodes_[maker].traits.aliases_in) return MadeOnDevice(s_.graph[maker].in[0].value);
      if (s_.placement.nodes[maker] == kDeviceSide) return true;
    }
    return false;
  }

  const std::deque<NetNode>& nodes_;
  Net::Storage& s_;
  std::vector<std::vector<size_t>> makers_;  // of each value
};

NetArena NetArena::Allocate(const Context& ctx, const NetMemory& memory) {
  NetArena arena{.main = singa::Allocate(ctx, {memory.arena}, DType::kU8), .host = {}};
  arena.host.SetShape({memory.host_arena}, DType::kU8);
  if (memory.host_arena > 0) arena.host.Own(ctx.stream->gpu().AllocatePinned(memory.host_arena));
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
    for (size_t k = 0; k < in.size(); ++k) bind(side, in[k], node.runs_backward, node.in[k]);
    for (size_t k = 0; k < out.size(); ++k)
      bind(side, out[k], node.runs_backward && s.values[out[k].value].needs_grad(out[k]),
           node.out[k]);
    node.checked = node.in;
    if (OnDevice(node)) {
      node.checked.clear();
      node.checked_ports.clear();
      for (size_t k = 0; k < in.size(); ++k) {
        node.checked.push_back(&node.checked_ports.emplace_back(CheckedPort(*node.in[k])));
        bind(s.sides[kHostSide], in[k], false, node.checked[k]);
      }
    }
    Context host;
    const Context& own = ContextOf(node, ctx, &host);
    for (Buffer& buffer : node.declare->buffers()) {
      const int place = side.buffers[next_buffer++];
      if (buffer.keep == Keep::kForever)
        buffer.tensor = singa::Allocate(own, buffer.tensor.shape(), buffer.tensor.type());
      else
        buffer.tensor.Bind(side.At(place));
    }
    for (Metric& metric : node.declare->metrics()) {
      metric.cell = singa::Allocate(own, metric.cell.shape(), metric.cell.type());
      metric.seen = metric.cell;
      if (OnDevice(node)) metric.seen.Own(ctx.stream->gpu().AllocatePinned(metric.cell.bytes()));
    }
  }
  s.transfers = NetTransfers(nodes_, &s).Make();
}

}  // namespace singa
