// Two questions that the host asks of a gradient before it is applied; a device asks them by
// InspectPieces (train/device/step_report.h). REQUIRES: no stream, as the answer is there at once.
#pragma once

#include "singa/tensor/context.h"

namespace singa {

// Whether none of x[n] is an infinity or NaN.
bool AllFinite(const Context& ctx, const float* x, int64_t n);
// Of x[i]^2, in float64, in an order that n alone decides.
double SumOfSquares(const Context& ctx, const float* x, int64_t n);

}  // namespace singa
