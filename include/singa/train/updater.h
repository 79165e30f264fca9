// Updater is the rule that changes a param by its gradient. It runs on the device of the param, on
// any piece of it. Rules work element by element, so the choice of pieces never changes results.
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

// Parameters of one update of one param.
struct UpdateStep {
  int64_t count = 1;       // number of this update of the param, from 1
  float lr = 0;            // LearningRate::At(step) x lr_scale
  float weight_decay = 0;  // UpdaterProto.weight_decay x wd_scale
};

// Result of the check of all gradients of a step, on a device.
struct StepVerdict {
  int32_t dropped = 0;  // not 0: the step changes nothing
  float scale = 1;      // factor of all gradients (UpdaterProto.clip_norm)
};

// A piece of a param: arrays of n elements that do not overlap.
struct UpdatePiece {
  float* w;
  const float* g;
  std::array<float*, 2> states;  // in the order of Updater::states(); null: no such state
  int64_t n;
  int32_t param;
};

// Pieces that one call updates. All its pointers are to memory of the context's device, which is
// read when the device does the work.
struct UpdateBatch {
  const void* steps;  // for each param the output of Updater::Prepare, step_bytes() apart
  const UpdatePiece* pieces;
  int64_t count, largest;      // number of pieces; elements of the largest piece
  const StepVerdict* verdict;  // null: as StepVerdict{}
};

class SINGA_API Updater {
 public:
  virtual ~Updater() = default;

  // Checks and keeps clip_low and clip_high. It only checks weight_decay, which comes with each
  // UpdateStep, and clip_norm, by which callers scale gradients. An override must call it first.
  // Throws ConfigError relative to `conf`.
  virtual void Setup(const UpdaterProto& conf);

  // Returns the names of the states, at most 8, each one float per element, 0 at first. Known after
  // Setup.
  virtual std::vector<std::string> states() const;

  // Returns m if, at a constant learning rate lr, the rule is w -= lr u with u = m u + g; else 0.
  // With m other code, such as a codec, may compute u. Known after Setup.
  virtual float momentum() const { return 0; }

  // Updates n elements on the host: clips g element by element, adds step.weight_decay x w, then
  // changes w and the states by the rule. The states come in the order of states(). All arrays have
  // n elements and do not overlap. Several threads call it at once, on different pieces. Must not
  // throw.
  virtual void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
                      std::span<float* const> states, int64_t n) = 0;

  // A rule that also runs on devices overrides the functions below, and has at most two states.

  // Number of bytes that Prepare writes, a multiple of 8. 0: the rule runs only on the host.
  virtual int64_t step_bytes() const { return 0; }
  // Writes the values of `step` that UpdateAll needs for one param to `to`. REQUIRES: `to` is
  // aligned to 8 bytes.
  virtual void Prepare(const UpdateStep& step, void* to) const;
  // Does Update for all pieces, in the order of the context's work. Only kernels may access the
  // memory of `batch`. Which work is queued must not depend on the content of that memory, so that
  // it can be captured and replayed.
  virtual void UpdateAll(Context& ctx, const UpdateBatch& batch) const;

 protected:
  // Bounds of gradients; -inf and inf if nothing is clipped.
  float clip_low() const { return clip_low_; }
  float clip_high() const { return clip_high_; }

 private:
  float clip_low_ = 0, clip_high_ = 0;
};

using UpdaterRegistry = Registry<Updater>;
SINGA_API UpdaterRegistry& Updaters();

// Makes the updater of `conf`, by user_type if set, else by type, and calls its Setup. Throws
// ConfigError relative to `conf`.
SINGA_API std::unique_ptr<Updater> MakeUpdater(const UpdaterProto& conf);

// SINGA_REGISTER_UPDATER(kSGD, SgdUpdater); the first argument is the enum's name or the user_type.
#define SINGA_REGISTER_UPDATER(type, Class)                                              \
  [[maybe_unused]] const bool singa_registered_updater_##type = ::singa::Updaters().Add( \
      #type, [] { return std::unique_ptr<::singa::Updater>(std::make_unique<Class>()); })

}  // namespace singa
