// NetLayout says which values the nodes of a net read and make, and where each tensor lies.
// BuildNet finds the graph and the values, PrepareNet plans the places, and BindNet gives them
// memory.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "nn/graph/graph.h"
#include "nn/plan/memory_plan.h"
#include "nn/plan/placement.h"
#include "nn/plan/transfers.h"
#include "singa/nn/net_node.h"

namespace singa {

// A value and its shape.
struct ShapedValue {
  int steps = 1;
  bool shaped = false;
  Shape step_shape;   // shape of one step; all steps are [steps * rows, ...] in memory
  Shape label_shape;  // no dims: no labels
  RowSpan span;       // rows of one step
  UnitSpan units;
  std::vector<int64_t> pieces;   // of Port::pieces
  std::vector<bool> grad_steps;  // [t]: some reader gives step t a gradient
  bool needs_grad() const {
    return std::find(grad_steps.begin(), grad_steps.end(), true) != grad_steps.end();
  }
  bool needs_grad(const Read& read) const {
    for (int t = read.first_step; t < read.first_step + read.steps; ++t)
      if (grad_steps[t]) return true;
    return false;
  }
  int64_t step_bytes() const { return step_shape.size() * SizeOf(DType::kF32); }
  int64_t label_bytes() const { return label_shape.dims() ? label_shape.size() * 4 : 0; }
};

// Numbers of tensors in the MemoryPlan; -1: the value has no such tensor.
struct ValueTensors {
  int data = -1, grad = -1, label = -1;
};

// The tensors in the memory of a device, or in that of the host.
struct SideLayout {
  MemoryPlan plan;
  std::vector<ValueTensors> tensors;  // for each value
  std::vector<int> buffers;  // for each buffer of each node, in order; -1: not in the arena
  int scratch = -1;
  Tensor arena;
  uint8_t* memory = nullptr;  // of the arena
  void* scratch_memory = nullptr;

  uint8_t* At(int tensor) const { return memory + plan.Offset(tensor); }
};

struct NetLayout {
  std::vector<Node> graph;  // one for each of Net::nodes(), in order
  std::vector<ShapedValue> values;
  bool reuse = true;  // features may share memory: NetOptions::reuse
  Placement placement;
  std::array<SideLayout, kSides> sides;
  std::vector<Transfers> transfers;  // for each node

  SideLayout& SideOf(const NetNode& node) { return sides[placement.nodes[node.place]]; }
};

}  // namespace singa
