// UnitView describes a value that has a feature's numbers in another order, such as units cut into
// heads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "driver/onnx/import/sizes.h"

namespace singa {

// A part of a dimension: it counts rows of the batch, time steps, or units `stride` apart.
struct ViewPart {
  enum Kind : uint8_t { kBatch, kSteps, kUnits };
  Kind kind = kUnits;
  int64_t size = 1, stride = 1;
  bool operator==(const ViewPart&) const = default;
};

// The parts of a dimension, the last one fastest. A dimension of size 1 has none.
using ViewDim = std::vector<ViewPart>;

struct UnitView {
  std::vector<ViewDim> dims = {};
  int64_t first = 0;  // the unit at which it begins
};

// Returns the view of a value of these sizes whose numbers are in the feature's order.
UnitView ViewInOrder(const Sizes& dims);
Sizes DimsOf(const UnitView& view);
// REQUIRES: `order` is a permutation of the dimensions.
UnitView Transposed(const UnitView& view, const Sizes& order);
// Returns the view with other dimensions. `fixed_batch`, `fixed_steps`: the numbers for N and T in
// the file, or -1. Returns nothing if the sizes do not fit.
std::optional<UnitView> ReshapedView(const UnitView& view, const Sizes& wanted, int64_t fixed_batch,
                                     int64_t fixed_steps);
// Returns whether the rows come before the units, and the units of a row are in the feature's
// order.
bool IsInOrder(const UnitView& view);
// Returns the parts of all dimensions, and joins parts that lie side by side.
ViewDim PartsOf(const std::vector<ViewDim>& dims);

}  // namespace singa
