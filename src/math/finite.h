// The host checks a gradient by these before it is applied; a device does so by InspectPieces
// (train/device/step_report.h). REQUIRES: the context has no stream, since the result is returned
// at once.
#pragma once

#include "singa/tensor/context.h"

namespace singa {

// Returns whether none of x[n] is an infinity or NaN.
bool AllFinite(const Context& ctx, const float* x, int64_t n);
// Returns the sum of x[i]^2, added in float64 in an order that depends on n alone.
double SumOfSquares(const Context& ctx, const float* x, int64_t n);

}  // namespace singa
