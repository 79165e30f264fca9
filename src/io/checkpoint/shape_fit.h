// Tells whether tensors of a file can be read as params of other shapes.
#pragma once

#include <span>
#include <vector>

#include "singa/tensor/shape.h"

namespace singa {

// Returns whether the two shapes have the same elements in the same order: besides sizes of 1, one
// is the other with some neighbouring sizes multiplied. So (16, 3, 5, 5) is (16, 75) and (16, 75,
// 1), but (75, 16) is neither, although it is as large.
bool SameOrder(const Shape& a, const Shape& b);

// The shapes of a param. `may_turn`: files of other programs have the transposed matrix.
struct ParamShapes {
  Shape in_file, in_net;
  bool may_turn = false;
};

enum class ShapeFit { kNone, kSameOrder, kTransposed };

// Returns how each param is read. All params are in one file. A square matrix that may turn is
// transposed if another matrix of the file is.
std::vector<ShapeFit> FitsOf(std::span<const ParamShapes> params);

}  // namespace singa
