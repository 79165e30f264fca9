// Net::Storage holds a net's graph, its values, and their memory.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "nn/graph/graph.h"
#include "nn/plan/memory_plan.h"
#include "nn/plan/placement.h"
#include "nn/plan/transfers.h"
#include "singa/base/error.h"
#include "singa/nn/net.h"

namespace singa {

inline DeviceError UnderLayer(const NetNode& node, const DeviceError& error) {
  return DeviceError(StrCat("layer \"", node.full_name, "\": ", error.what()));
}

// A value and its shape.
struct ShapedValue {
  int steps = 1;
  bool shaped = false;
  Shape step_shape;              // shape of one step; all steps are [steps * rows, ...] in memory
  Shape label_shape;             // no dims: no labels
  RowSpan span;                  // rows of one step
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

struct Net::Storage {
  std::vector<Node> graph;  // one for each of Net::nodes_, in order
  std::vector<ShapedValue> values;
  Placement placement;
  struct OfSide {
    MemoryPlan plan;
    std::vector<ValueTensors> tensors;  // for each value
    std::vector<int> buffers;  // for each buffer of each node, in order; -1: not in the arena
    int scratch = -1;
    Tensor arena;
    void* scratch_memory = nullptr;

    uint8_t* At(int tensor) { return arena.as<uint8_t>() + plan.Offset(tensor); }
  };
  std::array<OfSide, kSides> sides;
  std::vector<Transfers> transfers;  // for each node
};

}  // namespace singa
