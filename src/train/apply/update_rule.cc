#include "train/apply/update_rule.h"

#include <glog/logging.h>

#include <algorithm>

#include "io/checkpoint/checkpoint.h"
#include "singa/base/error.h"
#include "train/updater/averaged_values.h"

namespace singa {

UpdateRule::UpdateRule(const JobProto& job)
    : rate_(job.updater().learning_rate()), weight_decay_(job.updater().weight_decay()) {
  try {
    updater_ = MakeUpdater(job.updater());
    states_ = updater_->states();
    const size_t most = on_device() ? UpdatePiece().states.size() : kMostStates - 1;
    if (states_.size() > most)
      throw ConfigError("user_type",
                        StrCat("may have at most ", most, " states, has ", states_.size()));
    try {
      learning_rate_ = MakeLearningRate(rate_);
    } catch (const ConfigError& error) {
      throw error.Under("learning_rate");
    }
  } catch (const ConfigError& error) {
    throw error.Under("updater");
  }
  AddAverage(job.ema_decay());
}

void UpdateRule::AddAverage(float decay) {
  if (decay == 0) return;
  if (!(decay > 0 && decay < 1))
    throw ConfigError("ema_decay", StrCat("must be >= 0 and < 1, is ", decay));
  if (std::ranges::count(states_, kAverageState) > 0)
    throw ConfigError("ema_decay", StrCat("not with an updater that has a state of the name \"",
                                          kAverageState, "\""));
  average_ = std::make_unique<AveragedValues>(decay);
  states_.push_back(kAverageState);
}

void UpdateRule::SetEpochSteps(double steps) {
  CHECK_GT(steps, 0);
  epoch_steps_ = steps;
  learning_rate_ = MakeLearningRate(rate_, steps);
}

float UpdateRule::LearningRateAt(int64_t step) const {
  CHECK(!counts_epochs() || epoch_steps_ > 0) << "SetEpochSteps was not called";
  return learning_rate_->At(step);
}

UpdateStep UpdateRule::StepOf(const ParamScale& scale, int64_t step, int64_t count) const {
  UpdateStep update;
  update.count = count;
  update.lr = LearningRateAt(step) * scale.lr;
  update.weight_decay = weight_decay_ * scale.wd;
  return update;
}

void UpdateRule::Apply(Context& ctx, const ParamScale& scale, int64_t step, int64_t count, float* w,
                       const float* g, std::span<float* const> states, int64_t n) const {
  const UpdateStep update = StepOf(scale, step, count);
  if (!average_) return updater_->Update(ctx, update, w, g, states, n);
  updater_->Update(ctx, update, w, g, states.first(states.size() - 1), n);
  average_->Update(ctx, update, w, w, states.last(1), n);
}

void UpdateRule::Prepare(const ParamScale& scale, int64_t step, int64_t count, void* to) const {
  updater_->Prepare(StepOf(scale, step, count), to);
}

void UpdateRule::PrepareAverage(int64_t count, void* to) const {
  if (average_) average_->Prepare({.count = count}, to);
}

}  // namespace singa
