// LearningRate gives the learning rate of each step. The rate depends only on the step, so a
// resumed run continues with the right rate.
#pragma once

#include <cstdint>
#include <memory>

#include "singa/base/registry.h"
#include "singa/proto/updater.pb.h"

namespace singa {

class LearningRate;

// Makes the schedule of `conf`, by user_type if set, else by type, and calls its Setup.
// `epoch_steps`: the steps of an epoch, > 0, which may be a fraction; only unit: kEpochs uses it.
// Throws ConfigError relative to `conf`.
SINGA_API std::unique_ptr<LearningRate> MakeLearningRate(const LRGenProto& conf,
                                                         double epoch_steps = 1);

class SINGA_API LearningRate {
 public:
  virtual ~LearningRate() = default;

  // Reads the settings. Throws ConfigError relative to `conf`.
  virtual void Setup(const LRGenProto& conf) = 0;
  // Returns the rate of the update that follows `step` updates; step >= 0. Any thread may call it.
  virtual float At(int64_t step) const = 0;

 protected:
  // Returns the time before `step`, from 0, in steps or epochs as LRGenProto.unit says. A schedule
  // that computes with this time instead of the step supports both units.
  double TimeOf(int64_t step) const { return static_cast<double>(step) / steps_of_unit_; }

 private:
  friend std::unique_ptr<LearningRate> MakeLearningRate(const LRGenProto& conf, double epoch_steps);

  double steps_of_unit_ = 1;
};

using LearningRateRegistry = Registry<LearningRate>;
SINGA_API LearningRateRegistry& LearningRates();

// SINGA_REGISTER_LEARNING_RATE(kStep, StepRate); the first argument is the enum's name or the
// user_type.
#define SINGA_REGISTER_LEARNING_RATE(type, Class)                     \
  [[maybe_unused]] const bool singa_registered_learning_rate_##type = \
      ::singa::LearningRates().Add(                                   \
          #type, [] { return std::unique_ptr<::singa::LearningRate>(std::make_unique<Class>()); })

}  // namespace singa
