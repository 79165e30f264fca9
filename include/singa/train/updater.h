// Updater: the rule that changes a param by its gradient. It runs where the param lives, on any
// cut of it: rules work element by element, so cutting never changes results.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "singa/base/registry.h"
#include "singa/proto/updater.pb.h"
#include "singa/tensor/context.h"

namespace singa {

// What one update of one param needs besides its values.
struct UpdateStep {
  int64_t count = 1;       // updates of this param including this one, from 1
  float lr = 0;            // LearningRate::At(step) x lr_scale
  float weight_decay = 0;  // UpdaterProto.weight_decay x wd_scale
};

class SINGA_API Updater {
 public:
  virtual ~Updater() = default;

  // Throws ConfigError relative to `conf`. Overriders call it first: it checks and keeps clip_low
  // and clip_high, and checks weight_decay and clip_norm, which are their callers' to apply.
  virtual void Setup(const UpdaterProto& conf);

  // Names of its float states of one per element, all 0 at first, at most 8; known after Setup.
  virtual std::vector<std::string> states() const;

  // g is clipped element by element, then weight_decay x w is added, then the rule changes w and
  // the states, which come in the order of states(). All have n elements; none overlap. Called by
  // several threads at once, on cuts of their own; must not throw.
  virtual void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
                      std::span<float* const> states, int64_t n) = 0;

 protected:
  // -inf, inf where nothing is clipped.
  float clip_low() const { return clip_low_; }
  float clip_high() const { return clip_high_; }

 private:
  float clip_low_ = 0, clip_high_ = 0;
};

using UpdaterRegistry = Registry<Updater>;
SINGA_API UpdaterRegistry& Updaters();

// The updater of `conf`, by user_type where set, else by type, after its Setup. Throws ConfigError
// relative to `conf`.
SINGA_API std::unique_ptr<Updater> MakeUpdater(const UpdaterProto& conf);

// SINGA_REGISTER_UPDATER(kSGD, SgdUpdater); the first argument is the enum's name or the user_type.
#define SINGA_REGISTER_UPDATER(type, Class)                                              \
  [[maybe_unused]] const bool singa_registered_updater_##type = ::singa::Updaters().Add( \
      #type, [] { return std::unique_ptr<::singa::Updater>(std::make_unique<Class>()); })

}  // namespace singa
