// LearningRate gives the learning rate of each step. The rate depends only on the step, so a
// resumed run continues with the right rate.
#pragma once

#include <cstdint>
#include <memory>

#include "singa/base/registry.h"
#include "singa/proto/updater.pb.h"

namespace singa {

class SINGA_API LearningRate {
 public:
  virtual ~LearningRate() = default;

  // Reads the settings. Throws ConfigError relative to `conf`.
  virtual void Setup(const LRGenProto& conf) = 0;
  // Returns the rate of the update that follows `step` updates; step >= 0. Any thread may call it.
  virtual float At(int64_t step) const = 0;
};

using LearningRateRegistry = Registry<LearningRate>;
SINGA_API LearningRateRegistry& LearningRates();

// Makes the schedule of `conf`, by user_type if set, else by type, and calls its Setup. Throws
// ConfigError relative to `conf`.
SINGA_API std::unique_ptr<LearningRate> MakeLearningRate(const LRGenProto& conf);

// SINGA_REGISTER_LEARNING_RATE(kStep, StepRate); the first argument is the enum's name or the
// user_type.
#define SINGA_REGISTER_LEARNING_RATE(type, Class)                     \
  [[maybe_unused]] const bool singa_registered_learning_rate_##type = \
      ::singa::LearningRates().Add(                                   \
          #type, [] { return std::unique_ptr<::singa::LearningRate>(std::make_unique<Class>()); })

}  // namespace singa
