#include "driver/timing/node_work.h"

#include <algorithm>

namespace singa {
namespace {

bool HasGradient(const std::vector<Port*>& ports) {
  return std::ranges::any_of(ports, [](const Port* port) { return port->wants_grad; });
}

// Returns the bytes that a node reads of source i. A loss reads only the labels of a source whose
// size differs from the first one's.
int64_t SourceBytes(const NetNode& node, size_t i) {
  const Port &port = *node.in[i], &first = *node.in[0];
  const bool labels = node.traits.originates_gradient && i > 0 && port.has_label() &&
                      port.data.size() != first.data.size();
  return labels ? port.label.bytes() : port.data.bytes();
}

void AddFlops(const NetNode& node, NodeWork* work) {
  const Work of_layer = node.layer->work();
  work->forward_flops = of_layer.feature;
  if (!node.runs_backward) return;
  if (HasGradient(node.in)) work->backward_flops += of_layer.input_gradients;
  const auto& params = node.declared().params;
  if (!params.empty() && params[0]->trains()) work->backward_flops += of_layer.param_gradients;
}

void AddBytes(const NetNode& node, int64_t states, NodeWork* work) {
  int64_t in = 0, out = 0, params = 0;
  for (size_t i = 0; i < node.in.size(); ++i) in += SourceBytes(node, i);
  for (const Port* port : node.out) out += port->data.bytes();
  for (const Param* param : node.declared().params) params += param->data.bytes();
  if (!node.traits.aliases_in) work->forward_bytes = static_cast<double>(in + params + out);
  if (!node.runs_backward) return;
  int64_t back = 0, updates = 0;
  for (const Port* port : node.out) back += port->wants_grad ? port->data.bytes() : 0;
  for (const Port* port : node.in) back += port->wants_grad ? port->data.bytes() : 0;
  if (node.traits.grad_reads_in) back += in;
  if (node.traits.grad_reads_out) back += out;
  if (HasGradient(node.in)) back += params;
  for (const Param* param : node.declared().params)
    if (param->trains() && !param->sink) back += param->data.bytes();
  for (const Param* param : node.completes)  // a gradient in pieces stays in the cache
    updates += (2 + 2 * states) * param->data.bytes() + (param->sink ? 0 : param->data.bytes());
  work->backward_bytes = static_cast<double>(back);
  work->update_bytes = static_cast<double>(updates);
}

}  // namespace

NodeWork WorkOf(const NetNode& node, int64_t states) {
  NodeWork work;
  AddFlops(node, &work);
  if (!node.fused) AddBytes(node, states, &work);
  return work;
}

}  // namespace singa
