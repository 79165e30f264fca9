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
    length_ = conf.warmup_steps();
    CheckRange(length_ >= 0, "warmup_steps", ">= 0", conf.warmup_steps());
  }
  float At(int64_t step) const override {
    const float rate = rate_->At(step);
    const double after = TimeOf(step + 1);
    return after >= length_ ? rate : static_cast<float>(rate * after / length_);
  }

 private:
  const std::unique_ptr<LearningRate> rate_;
  double length_ = 0;
};

}  // namespace

LearningRateRegistry& LearningRates() {
  static LearningRateRegistry registry("learning rate");
  return registry;
}

std::unique_ptr<LearningRate> MakeLearningRate(const LRGenProto& conf, double epoch_steps) {
  const double unit = conf.unit() == LRGenProto::kEpochs ? epoch_steps : 1;
  std::unique_ptr<LearningRate> rate =
      MakeByType(LearningRates(), conf, kUserChange, "needs a type or a user_type");
  rate->steps_of_unit_ = unit;
  if (conf.warmup_steps() == 0) return rate;
  auto warm_up = std::make_unique<WarmUp>(std::move(rate));
  warm_up->Setup(conf);
  warm_up->steps_of_unit_ = unit;
  return warm_up;
}

}  // namespace singa
