#include "train/update_rule.h"

#include "singa/base/error.h"

namespace singa {

UpdateRule::UpdateRule(const JobProto& job) : weight_decay_(job.updater().weight_decay()) {
  try {
    updater_ = MakeUpdater(job.updater());
    states_ = updater_->states();
    if (states_.size() > kMostStates)
      throw ConfigError("user_type",
                        StrCat("may have at most ", kMostStates, " states, has ", states_.size()));
    try {
      learning_rate_ = MakeLearningRate(job.updater().learning_rate());
    } catch (const ConfigError& error) {
      throw error.Under("learning_rate");
    }
  } catch (const ConfigError& error) {
    throw error.Under("updater");
  }
}

void UpdateRule::Apply(Context& ctx, const ParamScale& scale, int64_t step, int64_t count, float* w,
                       const float* g, std::span<float* const> states, int64_t n) const {
  UpdateStep update;
  update.count = count;
  update.lr = learning_rate_->At(step) * scale.lr;
  update.weight_decay = weight_decay_ * scale.wd;
  updater_->Update(ctx, update, w, g, states, n);
}

}  // namespace singa
