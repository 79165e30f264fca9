#include "singa/train/learning_rate.h"

#include "base/make_by_type.h"
#include "train/learning_rate/check_conf.h"

namespace singa {
namespace {

// Rises to another schedule's rate in a line (Goyal et al., arXiv:1706.02677, section 2.2).
class WarmUp final : public LearningRate {
 public:
  explicit WarmUp(std::unique_ptr<LearningRate> rate) : rate_(std::move(rate)) {}
  void Setup(const LRGenProto& conf) override {
    steps_ = conf.warmup_steps();
    CheckRange(steps_ >= 0, "warmup_steps", ">= 0", steps_);
  }
  float At(int64_t step) const override {
    const float rate = rate_->At(step);
    if (step >= steps_) return rate;
    return static_cast<float>(rate * static_cast<double>(step + 1) / static_cast<double>(steps_));
  }

 private:
  const std::unique_ptr<LearningRate> rate_;
  int64_t steps_ = 0;
};

}  // namespace

LearningRateRegistry& LearningRates() {
  static LearningRateRegistry registry("learning rate");
  return registry;
}

std::unique_ptr<LearningRate> MakeLearningRate(const LRGenProto& conf) {
  std::unique_ptr<LearningRate> rate =
      MakeByType(LearningRates(), conf, kUserChange, ChangeMethod_Name(conf.type()),
                 "needs a type or a user_type");
  if (conf.warmup_steps() == 0) return rate;
  auto warm_up = std::make_unique<WarmUp>(std::move(rate));
  warm_up->Setup(conf);
  return warm_up;
}

}  // namespace singa
