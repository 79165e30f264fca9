#include "train/apply/update_rule.h"

#include "singa/base/error.h"

namespace singa {

UpdateRule::UpdateRule(const JobProto& job) : weight_decay_(job.updater().weight_decay()) {
  try {
    updater_ = MakeUpdater(job.updater());
    states_ = updater_->states();
    const size_t most = on_device() ? UpdatePiece().states.size() : kMostStates;
    if (states_.size() > most)
      throw ConfigError("user_type",
                        StrCat("may have at most ", most, " states, has ", states_.size()));
    try {
      learning_rate_ = MakeLearningRate(job.updater().learning_rate());
    } catch (const ConfigError& error) {
      throw error.Under("learning_rate");
    }
  } catch (const ConfigError& error) {
    throw error.Under("updater");
  }
}

UpdateStep UpdateRule::StepOf(const ParamScale& scale, int64_t step, int64_t count) const {
  UpdateStep update;
  update.count = count;
  update.lr = learning_rate_->At(step) * scale.lr;
  update.weight_decay = weight_decay_ * scale.wd;
  return update;
}

void UpdateRule::Apply(Context& ctx, const ParamScale& scale, int64_t step, int64_t count, float* w,
                       const float* g, std::span<float* const> states, int64_t n) const {
  updater_->Update(ctx, StepOf(scale, step, count), w, g, states, n);
}

void UpdateRule::Prepare(const ParamScale& scale, int64_t step, int64_t count, void* to) const {
  updater_->Prepare(StepOf(scale, step, count), to);
}

}  // namespace singa
