// Predicts the bytes and times of the compressions that need no servers: kPowerSGD and kPartial.
#pragma once

#include <cstdint>

#include "driver/plan/exchange_form.h"
#include "driver/plan/trained_shapes.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// Return the number of buckets in which gradients are added up, and of those that kPartial averages
// in turn.
int64_t CountBuckets(const AllReduceProto& conf, const TrainedShapes& shapes);
int64_t CountPartialBuckets(const AllReduceProto& conf, const TrainedShapes& shapes);

// Return the bytes that travel for each byte of a gradient, with kPowerSGD and with kPartial.
double ThinShare(const AllReduceProto& conf, const TrainedShapes& shapes);
double PartialShare(const AllReduceProto& conf, const TrainedShapes& shapes);

// Return the forms of kPowerSGD, with the `rank` of `conf`, and of kPartial, with its buckets. The
// first measures products of matrices, which takes some 10 ms. REQUIRES: params are trained.
ExchangeForm LowRankForm(const AllReduceProto& conf, const TrainedShapes& shapes);
ExchangeForm PartialForm(const AllReduceProto& conf, const TrainedShapes& shapes);

}  // namespace singa
