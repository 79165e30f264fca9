// The shape of a param's gradient that kPowerSGD sends as thin matrices.
#pragma once

#include "comm/codec/low_rank.h"
#include "comm/collective/slice_table.h"
#include "singa/tensor/shape.h"

namespace singa {

// Returns the columns of a thin matrix, or rank 0 if the param's gradient is sent as it is: workers
// divide it, or the thin matrices are more than half as large.
LowRankShape LowRankOf(const SliceTable& table, int param, const Shape& shape, int rank);

}  // namespace singa
