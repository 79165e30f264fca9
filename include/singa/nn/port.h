// Port is a layer's view of one input or output: data, gradient and labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "singa/base/part_of.h"
#include "singa/tensor/tensor.h"

namespace singa {

// The rows of the group's batch that a feature holds: [first, first + rows) of `batch`, for each of
// the `steps` time steps from `first_step` on (time-major).
struct RowSpan {
  int64_t first = 0;
  int64_t rows = 0;
  int64_t batch = 0;  // rows of the whole worker group; losses divide gradients by it
  int64_t first_step = 0;
  int64_t steps = 1;
  // All workers of the group together hold rows [group_first, group_first + group_rows) of `batch`,
  // such as those of a slice. group_rows 0: all rows of the batch.
  int64_t group_first = 0;
  int64_t group_rows = 0;

  // Returns the number of local row r in the whole batch and sequence. Random numbers use it, so
  // partitions and folding do not change them.
  constexpr int64_t GlobalRow(int64_t r) const {
    return (first_step + r / rows) * batch + first + r % rows;
  }
};

// The units that this worker's feature holds: [first, first + count) of `all`. all 0: the feature
// holds all units, since the workers do not divide its layer by units.
struct UnitSpan {
  int64_t first = 0;
  int64_t count = 0;
  int64_t all = 0;
};

struct Port {
  Tensor data;
  Tensor grad;   // empty() if an input's gradient is not needed, or no reader gives an output's
  Tensor label;  // i32 [rows]; no shape if the source has no labels
  RowSpan span;
  UnitSpan units;
  // If the workers of the group divide the feature piece by piece: the rows that all workers have
  // of each piece. Each worker holds its part of the first piece, then its part of the next.
  std::vector<int64_t> pieces;
  bool wants_grad = true;  // known from Prepare on; false: grad stays empty()

  bool has_label() const { return label.shape().dims() > 0; }
};

using Inputs = std::span<Port* const>;
using Outputs = std::span<Port* const>;

}  // namespace singa
