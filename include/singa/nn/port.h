// Port: what a layer sees of a feature on one of its sides.
#pragma once

#include <cstdint>
#include <span>

#include "singa/tensor/tensor.h"

namespace singa {

// Which rows of the group's batch a feature holds: rows [first, first + rows) of `batch`, once for
// each of `steps` time steps from `first_step` on (time-major).
struct RowSpan {
  int64_t first = 0;
  int64_t rows = 0;
  int64_t batch = 0;  // of the whole worker group: what gradients are divided by
  int64_t first_step = 0;
  int64_t steps = 1;

  // The number that randomness of local row r goes by, whatever the partition or folding.
  constexpr int64_t GlobalRow(int64_t r) const {
    return (first_step + r / rows) * batch + first + r % rows;
  }
};

struct Port {
  Tensor data;
  Tensor grad;   // empty() where nobody needs it (an input) or nobody gives it (an output)
  Tensor label;  // i32 [rows]; no shape where the source has no labels
  RowSpan span;
  bool wants_grad = true;  // from Prepare on; false: grad stays empty()

  bool has_label() const { return label.shape().dims() > 0; }
};

using Inputs = std::span<Port* const>;
using Outputs = std::span<Port* const>;

}  // namespace singa
