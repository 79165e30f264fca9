// Predicts the bytes and times of the compressions that need no servers: kPowerSGD and kPartial.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/plan/exchange_form.h"
#include "singa/proto/job.pb.h"
#include "singa/tensor/shape.h"

namespace singa {

// The params that a job trains.
struct TrainedShapes {
  std::vector<Shape> params;
  int states = 0;  // floats that the updater keeps for each of a param

  int64_t bytes() const;
};
// Throws ConfigError relative to the JobProto.
TrainedShapes TrainedShapesOf(const JobProto& job);

// Return the number of buckets in which gradients are added up, and of those that kPartial averages
// in turn.
int64_t CountBuckets(const AllReduceProto& conf, const TrainedShapes& shapes);
int64_t CountPartialBuckets(const AllReduceProto& conf, const TrainedShapes& shapes);

// Return the forms of kPowerSGD, with the `rank` of `conf`, and of kPartial, with its buckets. The
// first measures products of matrices, which takes some 10 ms. REQUIRES: params are trained.
ExchangeForm LowRankForm(const AllReduceProto& conf, const TrainedShapes& shapes);
ExchangeForm PartialForm(const AllReduceProto& conf, const TrainedShapes& shapes);

}  // namespace singa
