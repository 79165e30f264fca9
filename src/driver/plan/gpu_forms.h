// Predicts what the GPUs of a group send each other by NCCL for the gradients of a step.
#pragma once

#include "driver/plan/exchange_form.h"
#include "driver/plan/plan_cluster.h"
#include "driver/plan/trained_shapes.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// Returns the form of the compression of `conf`. Its bytes are those that cross a host's link. The
// numbers of an all-reduce, and of an all-gather, go round in a ring that leaves each host once.
// The time in which GPUs encode is not known, and counts as none. REQUIRES: several hosts; params
// are trained.
ExchangeForm GpuForm(const AllReduceProto& conf, const PlanCluster& cluster,
                     const TrainedShapes& shapes);

// Returns the sums, one after the other, in which GPUs add up the gradients of a step.
int64_t CountGpuSums(const AllReduceProto& conf, const TrainedShapes& shapes);

// Returns whether the GPUs send only after the backward pass, which then hides nothing.
bool SendsAfterBackward(AllReduceProto::Compression compression);

}  // namespace singa
