// Adam: Kingma and Ba, arXiv:1412.6980, algorithm 1; equals torch.optim.Adam. AdamW: Loshchilov and
// Hutter, arXiv:1711.05101, algorithm 2; equals torch.optim.AdamW.
#include <cmath>

#include "base/check_range.h"
#include "math/cpu_dispatch.h"
#include "train/updater/element_updater.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdamSlice(AdamElement element, float* __restrict w,
                                      const float* __restrict g, float* __restrict m,
                                      float* __restrict v, int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, m + i, v + i);
}

SINGA_CPU_CLONES_EXACT void AdamWSlice(AdamWElement element, float* __restrict w,
                                       const float* __restrict g, float* __restrict m,
                                       float* __restrict v, int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, m + i, v + i);
}

[[maybe_unused]] const bool registered =
    AdamUpdate.Set(Device::kCpu, UpdateOnHost<AdamElement, 2, AdamSlice>) &&
    AdamWUpdate.Set(Device::kCpu, UpdateOnHost<AdamWElement, 2, AdamWSlice>);

// Has the settings and states that both rules share.
template <typename Element>
class AdamRule : public ElementUpdater<Element> {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    const AdamProto& adam = conf.adam_conf();
    CheckRange(adam.beta1() >= 0 && adam.beta1() < 1, "adam_conf.beta1", "in [0, 1)", adam.beta1());
    CheckRange(adam.beta2() >= 0 && adam.beta2() < 1, "adam_conf.beta2", "in [0, 1)", adam.beta2());
    beta1_ = Decay(adam.beta1());
    beta2_ = Decay(adam.beta2());
    delta_ = conf.delta();
    CheckRange(delta_ > 0, "delta", "> 0", delta_);
  }
  std::vector<std::string> states() const override { return {"m", "v"}; }

 protected:
  AdamElement AdamOf(const UpdateStep& step) const {
    const double t = static_cast<double>(step.count);
    const double correction1 = 1 - std::pow(double{beta1_.keep}, t);
    const double correction2 = 1 - std::pow(double{beta2_.keep}, t);
    const auto rate = static_cast<float>(step.lr / correction1);
    const auto root_scale = static_cast<float>(1 / std::sqrt(correction2));
    return {this->PrologueOf(step), rate, root_scale, beta1_, beta2_, delta_};
  }

 private:
  Decay beta1_, beta2_;
  float delta_ = 0;
};

class AdamUpdater final : public AdamRule<AdamElement> {
  AdamElement ElementOf(const UpdateStep& step) const override { return AdamOf(step); }
  const UpdateKernel& kernel() const override { return AdamUpdate; }
};
SINGA_REGISTER_UPDATER(kAdam, AdamUpdater);

class AdamWUpdater final : public AdamRule<AdamWElement> {
  AdamWElement ElementOf(const UpdateStep& step) const override {
    UpdateStep without_decay = step;
    without_decay.weight_decay = 0;
    return {AdamOf(without_decay), step.lr * step.weight_decay};
  }
  const UpdateKernel& kernel() const override { return AdamWUpdate; }
};
SINGA_REGISTER_UPDATER(kAdamW, AdamWUpdater);

}  // namespace
}  // namespace singa
