// EpochSteps is the length of an epoch, for all that counts epochs: learning rates, tests and the
// end of training.
#pragma once

#include <cstdint>
#include <string>

#include "singa/base/error.h"

namespace singa {

// Returns the steps of one pass over `records` records, of which a step reads `samples`: often a
// fraction. 0: unknown, as one of them is not known (<= 0).
inline double EpochSteps(int64_t records, int64_t samples) {
  if (records <= 0 || samples <= 0) return 0;
  return static_cast<double>(records) / static_cast<double>(samples);
}

// Throws ConfigError about `field`, which counts epochs of `steps` steps, if the steps are unknown.
inline void CheckEpochSteps(double steps, const std::string& field) {
  if (steps == 0)
    throw ConfigError(field, "needs an input layer that reads a store in the training net");
}

}  // namespace singa
