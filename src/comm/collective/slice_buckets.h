// Buckets are runs of slices that processes exchange together.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// Cuts the slices into runs of whole params, the last params first. A run ends once it has more
// than `floats`. A larger param begins a run, so that smaller ones of the layers above do not wait
// for it.
std::vector<std::vector<int>> BucketsOf(const SliceTable& table, int64_t floats);
// Returns the buckets that gradients are added up in. If the job does not set fusion_elements, a
// small net has several, too, so that the first are exchanged while the backward pass goes on.
std::vector<std::vector<int>> GradientBuckets(const SliceTable& table, const AllReduceProto& conf);
// Returns the most floats of one bucket.
int64_t MostFloats(const SliceTable& table, const std::vector<std::vector<int>>& buckets);

}  // namespace singa
