// LearningRate: the learning rate as a function of the step alone, so that a resumed run goes on
// with the rate it would have had.
#pragma once

#include <cstdint>
#include <memory>

#include "singa/base/registry.h"
#include "singa/proto/updater.pb.h"

namespace singa {

class SINGA_API LearningRate {
 public:
  virtual ~LearningRate() = default;

  // Throws ConfigError relative to `conf`.
  virtual void Setup(const LRGenProto& conf) = 0;
  // The rate of the update that follows `step` updates; step >= 0. Any thread may ask.
  virtual float At(int64_t step) const = 0;
};

using LearningRateRegistry = Registry<LearningRate>;
SINGA_API LearningRateRegistry& LearningRates();

// The schedule of `conf`, by user_type where set, else by type, after its Setup. Throws ConfigError
// relative to `conf`.
SINGA_API std::unique_ptr<LearningRate> MakeLearningRate(const LRGenProto& conf);

// SINGA_REGISTER_LEARNING_RATE(kStep, StepRate); the first argument is the enum's name or the
// user_type.
#define SINGA_REGISTER_LEARNING_RATE(type, Class)                     \
  [[maybe_unused]] const bool singa_registered_learning_rate_##type = \
      ::singa::LearningRates().Add(                                   \
          #type, [] { return std::unique_ptr<::singa::LearningRate>(std::make_unique<Class>()); })

}  // namespace singa
