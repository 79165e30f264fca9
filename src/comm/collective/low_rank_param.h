// LowRankParams are the params whose gradients kPowerSGD sends as thin matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/codec/low_rank.h"
#include "comm/collective/slice_table.h"
#include "singa/base/philox.h"
#include "singa/proto/cluster.pb.h"
#include "singa/tensor/shape.h"

namespace singa {

// Returns the columns of a thin matrix, or rank 0 if the param's gradient is sent as it is: workers
// divide it, or the thin matrices are more than half as large.
LowRankShape LowRankOf(const SliceTable& table, int param, const Shape& shape, int rank);

struct LowRankParam {
  int param = 0;
  LowRankShape shape;
  int64_t bucket = 0;  // of GradientBuckets, with which it is exchanged
};
// `shapes`: of the table's params, in order.
std::vector<LowRankParam> LowRankParams(const SliceTable& table, const std::vector<Shape>& shapes,
                                        const AllReduceProto& conf);

// Returns the random numbers by which the thin matrices of a param begin in exchange `exchange`.
Philox RandomOfBasis(uint64_t seed, int param, int64_t exchange = 0);

}  // namespace singa
