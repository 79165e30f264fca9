// Net::Bind: binds every tensor of a net to its place in the arena.
#include <glog/logging.h>

#include "nn/plan/net_storage.h"

namespace singa {
namespace {

void BindPort(const ShapedValue& value, const ValueTensors& tensors, const MemoryPlan& plan,
              const Read& read, bool with_grad, uint8_t* arena, Port* port) {
  if (tensors.data < 0) return;
  const int64_t offset = read.first_step * value.step_bytes();
  port->data.Bind(arena + plan.Offset(tensors.data) + offset);
  if (with_grad && tensors.grad >= 0) port->grad.Bind(arena + plan.Offset(tensors.grad) + offset);
  if (tensors.label >= 0)
    port->label.Bind(arena + plan.Offset(tensors.label) + read.first_step * value.label_bytes());
}

}  // namespace

void Net::Bind(Tensor memory) {
  Storage& s = *storage_;
  CHECK_GE(memory.bytes(), s.plan.bytes());
  s.arena = std::move(memory);
  uint8_t* arena = s.arena.as<uint8_t>();
  s.scratch_memory = arena + s.plan.Offset(s.scratch);
  size_t next_buffer = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    NetNode& node = nodes_[i];
    for (size_t k = 0; k < node.in.size(); ++k) {
      const Read& read = s.graph[i].in[k];
      BindPort(s.values[read.value], s.tensors[read.value], s.plan, read, node.runs_backward, arena,
               node.in[k]);
    }
    for (size_t k = 0; k < node.out.size(); ++k) {
      const Read& out = s.graph[i].out[k];
      BindPort(s.values[out.value], s.tensors[out.value], s.plan, out,
               node.runs_backward && s.values[out.value].needs_grad(out), arena, node.out[k]);
    }
    for (Buffer& buffer : node.declare->buffers()) {
      const int place = s.buffers[next_buffer++];
      if (buffer.keep == Keep::kForever)
        buffer.tensor = Tensor::Allocate(buffer.tensor.shape(), buffer.tensor.type());
      else
        buffer.tensor.Bind(arena + s.plan.Offset(place));
    }
    for (Metric& metric : node.declare->metrics())
      metric.cell = Tensor::Allocate(metric.cell.shape(), metric.cell.type());
  }
}

}  // namespace singa
