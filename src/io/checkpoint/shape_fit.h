// SameOrder tells whether a tensor of a file can be read as a param of another shape.
#pragma once

#include "singa/tensor/shape.h"

namespace singa {

// Returns whether the two shapes have the same elements in the same order: besides sizes of 1, one
// is the other with some neighbouring sizes multiplied. So (16, 3, 5, 5) is (16, 75) and (16, 75,
// 1), but (75, 16) is neither, although it is as large.
bool SameOrder(const Shape& a, const Shape& b);

}  // namespace singa
