// The schedules that change at certain times. proto/updater.proto lists their formulas.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text/element_path.h"
#include "train/learning_rate/check_conf.h"

namespace singa {
namespace {

// Times in epochs are rounded. A change takes place this little before its time, so that rounding
// cannot make it a step late.
constexpr double kEarly = 1e-9;

// base_lr gamma^floor(s / change_freq)
class StepRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override {
    base_ = CheckedBase(conf);
    CheckHas(conf.has_step_conf(), "step_conf", "kStep");
    gamma_ = conf.step_conf().gamma();
    freq_ = conf.step_conf().change_freq();
    CheckRange(gamma_ > 0 && std::isfinite(gamma_), "step_conf.gamma", "> 0", gamma_);
    CheckRange(freq_ >= 1, "step_conf.change_freq", ">= 1", freq_);
  }
  float At(int64_t step) const override {
    const double changes = std::floor((TimeOf(step) + kEarly) / freq_);
    return static_cast<float>(base_ * std::pow(double{gamma_}, changes));
  }

 private:
  float base_ = 0, gamma_ = 1;
  int32_t freq_ = 1;
};
SINGA_REGISTER_LEARNING_RATE(kStep, StepRate);

// step_lr[k], k the last index with step[k] <= s; step_lr[0] before step[0].
class FixedStepRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override {
    CheckHas(conf.has_fixedstep_conf(), "fixedstep_conf", "kFixedStep");
    const FixedStepProto& fixed = conf.fixedstep_conf();
    times_.assign(fixed.step().begin(), fixed.step().end());
    rates_.assign(fixed.step_lr().begin(), fixed.step_lr().end());
    CheckRange(!times_.empty(), "fixedstep_conf.step", "set at least once", "not set");
    if (rates_.size() != times_.size())
      throw ConfigError(
          ElementPath("fixedstep_conf.step_lr", rates_.size() > times_.size() ? times_.size() : 0),
          StrCat("must be set as often as step: ", times_.size(), ", is set ", rates_.size(),
                 " times"));
    CheckRange(times_[0] >= 0, "fixedstep_conf.step", ">= 0", fixed.step(0));
    for (int k = 1; k < fixed.step_size(); ++k)
      if (fixed.step(k) <= fixed.step(k - 1))
        throw ConfigError(ElementPath("fixedstep_conf.step", k),
                          StrCat("must grow, has ", fixed.step(k), " after ", fixed.step(k - 1)));
    for (size_t k = 0; k < rates_.size(); ++k)
      CheckRange(rates_[k] >= 0 && std::isfinite(rates_[k]),
                 ElementPath("fixedstep_conf.step_lr", k).c_str(), ">= 0", rates_[k]);
  }
  float At(int64_t step) const override {
    const auto after = std::upper_bound(times_.begin(), times_.end(), TimeOf(step) + kEarly);
    return rates_[std::max<int64_t>(0, after - times_.begin() - 1)];
  }

 private:
  std::vector<double> times_;
  std::vector<float> rates_;
};
SINGA_REGISTER_LEARNING_RATE(kFixedStep, FixedStepRate);

}  // namespace
}  // namespace singa
