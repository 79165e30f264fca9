// Updater: the rule that changes a param by its gradient. It runs where the param lives, on any
// cut of it: rules work element by element, so cutting never changes results.
#pragma once

#include <array>
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

// What was found of all gradients of a step that is computed on a device.
struct StepVerdict {
  int32_t dropped = 0;  // not 0: the step is without effect
  float scale = 1;      // of all gradients (UpdaterProto.clip_norm)
};

// A cut of a param: arrays of n elements that do not overlap.
struct UpdatePiece {
  float* w;
  const float* g;
  std::array<float*, 2> states;  // in the order of Updater::states(); null: there is none
  int64_t n;
  int32_t param;
};

// Pieces that one call updates. All that it points to lies where the context computes, and is read
// when the work is done.
struct UpdateBatch {
  const void* steps;  // of each param what Updater::Prepare wrote, step_bytes() apart
  const UpdatePiece* pieces;
  int64_t count, largest;      // pieces; elements of the largest one
  const StepVerdict* verdict;  // null: the step is taken, its gradients as they are
};

class SINGA_API Updater {
 public:
  virtual ~Updater() = default;

  // Throws ConfigError relative to `conf`. Overriders call it first: it checks and keeps clip_low
  // and clip_high, and checks weight_decay and clip_norm, which are their callers' to apply.
  virtual void Setup(const UpdaterProto& conf);

  // Names of its float states of one per element, all 0 at first, at most 8; known after Setup.
  virtual std::vector<std::string> states() const;

  // On the host: g is clipped element by element, then weight_decay x w is added, then the rule
  // changes w and the states, which come in the order of states(). All have n elements; none
  // overlap. Called by several threads at once, on cuts of their own; must not throw.
  virtual void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
                      std::span<float* const> states, int64_t n) = 0;

  // A rule that devices know, too, overrides the rest, and has at most two states.

  // Bytes of what Prepare writes, a multiple of 8. 0: the rule runs on the host alone.
  virtual int64_t step_bytes() const { return 0; }
  // Writes what the rule needs to know of `step` for one param. `to`: aligned to 8.
  virtual void Prepare(const UpdateStep& step, void* to) const;
  // The same as Update, of all pieces, in the order of the context's work: its memory may be
  // reachable by kernels alone. Nothing of it is decided by what is in that memory, so that it can
  // be captured and replayed.
  virtual void UpdateAll(Context& ctx, const UpdateBatch& batch) const;

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
