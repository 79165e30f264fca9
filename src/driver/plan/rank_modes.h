// Predicts the bytes and times of the ways to exchange numbers that need no servers: kPowerSGD and
// kPartial.
#pragma once

#include <vector>

#include "driver/plan/gradient_modes.h"
#include "singa/proto/job.pb.h"
#include "singa/tensor/shape.h"

namespace singa {

// The params that a job trains.
struct TrainedShapes {
  std::vector<Shape> params;
  int states = 0;  // floats that the updater keeps for each of a param
};
// Throws ConfigError relative to the JobProto.
TrainedShapes TrainedShapesOf(const JobProto& job);

// Returns the rates of kPowerSGD, with the `rank` of `conf`, and of kPartial, with its buckets.
// Measures products of matrices, which takes some 10 ms.
std::vector<CodecRates> RankModes(const AllReduceProto& conf, const TrainedShapes& shapes);

}  // namespace singa
