#include "nn/plan/net_transfers.h"

#include "nn/plan/under_layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

// Allocates device memory where `bytes` of a host node's feature wait until the step before is
// done.
Tensor AllocateStaging(const Context& ctx, const NetNode& node, int64_t bytes) {
  try {
    return Allocate(ctx, {bytes}, DType::kU8);
  } catch (const DeviceError& error) {
    throw UnderLayer(node, error);
  }
}

}  // namespace

NetTransfers::NetTransfers(const std::deque<NetNode>& nodes, const NetLayout& layout)
    : nodes_(nodes), layout_(layout), makers_(layout.values.size()) {
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const Read& out : layout_.graph[i].out) makers_[out.value].push_back(i);
}

std::vector<Transfers> NetTransfers::Make(const Context& ctx) const {
  std::vector<Transfers> all(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Transfers& own = all[i];
    const Side side = layout_.placement.nodes[i];
    own.to_device = side == kHostSide;
    if (!nodes_[i].traits.aliases_in) {
      for (const Read& out : layout_.graph[i].out) AddData(side, out, &own);
      own.reads_device = ReadsDevice(i);
    }
    if (const int64_t bytes = ctx.uploads ? StagedBytes(i) : 0; bytes > 0)
      own.staging = AllocateStaging(ctx, nodes_[i], bytes);
    if (!nodes_[i].runs_backward) continue;
    for (const Read& in : layout_.graph[i].in) AddGradient(side, in, &own);
    for (const Read& out : layout_.graph[i].out)
      if (side == kHostSide && layout_.placement.grads[out.value][kDeviceSide])
        own.reads_device_grad = true;
  }
  return all;
}

bool NetTransfers::OnBoth(int value, int ValueTensors::*which) const {
  return layout_.sides[kHostSide].tensors[value].*which >= 0 &&
         layout_.sides[kDeviceSide].tensors[value].*which >= 0;
}

int64_t NetTransfers::StagedBytes(size_t i) const {
  if (layout_.placement.nodes[i] == kDeviceSide || nodes_[i].traits.aliases_in) return 0;
  int64_t bytes = 0;
  for (const Read& out : layout_.graph[i].out) {
    const ShapedValue& value = layout_.values[out.value];
    if (OnBoth(out.value, &ValueTensors::data)) bytes += out.steps * value.step_bytes();
    if (OnBoth(out.value, &ValueTensors::label)) bytes += out.steps * value.label_bytes();
  }
  return bytes;
}

void NetTransfers::Add(Side side, const Read& read, int ValueTensors::*which, int64_t step_bytes,
                       std::vector<Transfers::Copy>* copies) const {
  if (!OnBoth(read.value, which)) return;
  const Side other = side == kHostSide ? kDeviceSide : kHostSide;
  const int from = layout_.sides[side].tensors[read.value].*which;
  const int to = layout_.sides[other].tensors[read.value].*which;
  const int64_t offset = read.first_step * step_bytes;
  copies->push_back({layout_.sides[side].At(from) + offset, layout_.sides[other].At(to) + offset,
                     read.steps * step_bytes});
}

void NetTransfers::AddData(Side side, const Read& out, Transfers* own) const {
  const ShapedValue& value = layout_.values[out.value];
  Add(side, out, &ValueTensors::data, value.step_bytes(), &own->of_feature);
  Add(side, out, &ValueTensors::label, value.label_bytes(), &own->of_feature);
}

void NetTransfers::AddGradient(Side side, const Read& in, Transfers* own) const {
  if (layout_.values[in.value].needs_grad(in))
    Add(side, in, &ValueTensors::grad, layout_.values[in.value].step_bytes(), &own->of_gradient);
}

bool NetTransfers::ReadsDevice(size_t i) const {
  for (size_t k = 0; k < layout_.graph[i].in.size(); ++k)
    if (layout_.placement.nodes[i] == kHostSide || nodes_[i].traits.checks >> k & 1)
      if (MadeOnDevice(layout_.graph[i].in[k].value)) return true;
  return false;
}

// Looks through splits, which only alias their source.
bool NetTransfers::MadeOnDevice(int value) const {
  for (const size_t maker : makers_[value]) {
    if (nodes_[maker].traits.aliases_in) return MadeOnDevice(layout_.graph[maker].in[0].value);
    if (layout_.placement.nodes[maker] == kDeviceSide) return true;
  }
  return false;
}

}  // namespace singa
