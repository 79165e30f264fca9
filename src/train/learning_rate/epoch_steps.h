// EpochSteps computes the length of an epoch, by which learning rates, tests and the end of
// training count.
#pragma once

#include <cstdint>
#include <string>

#include "singa/base/error.h"

namespace singa {

// Returns the number of steps, often a fraction, of one pass over `records` records, of which a
// step reads `samples`. 0: unknown, because one of the two is unknown (<= 0).
inline double EpochSteps(int64_t records, int64_t samples) {
  if (records <= 0 || samples <= 0) return 0;
  return static_cast<double>(records) / static_cast<double>(samples);
}

// Throws ConfigError about `field`, which counts epochs, if their length `steps` is unknown.
inline void CheckEpochSteps(double steps, const std::string& field) {
  if (steps == 0)
    throw ConfigError(field, "needs an input layer that reads a store in the training net");
}

}  // namespace singa
