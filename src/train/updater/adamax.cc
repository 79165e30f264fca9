// AdaMax: Kingma and Ba, arXiv:1412.6980, algorithm 2, with delta added to the divisor.
#include <cmath>

#include "base/check_range.h"
#include "math/cpu_dispatch.h"
#include "train/updater/element_updater.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdaMaxSlice(AdaMaxElement element, float* __restrict w,
                                        const float* __restrict g, float* __restrict m,
                                        float* __restrict u, int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, m + i, u + i);
}

[[maybe_unused]] const bool registered =
    AdaMaxUpdate.Set(Device::kCpu, UpdateOnHost<AdaMaxElement, 2, AdaMaxSlice>);

class AdaMaxUpdater final : public ElementUpdater<AdaMaxElement> {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    const AdamMaxProto& adamax = conf.adammax_conf();
    beta2_ = adamax.beta2();
    CheckRange(adamax.beta1() >= 0 && adamax.beta1() < 1, "adammax_conf.beta1", "in [0, 1)",
               adamax.beta1());
    CheckRange(beta2_ >= 0 && beta2_ < 1, "adammax_conf.beta2", "in [0, 1)", beta2_);
    beta1_ = Decay(adamax.beta1());
    delta_ = conf.delta();
    CheckRange(delta_ > 0, "delta", "> 0", delta_);
  }
  std::vector<std::string> states() const override { return {"m", "u"}; }

 private:
  AdaMaxElement ElementOf(const UpdateStep& step) const override {
    const double correction = 1 - std::pow(double{beta1_.keep}, static_cast<double>(step.count));
    const auto rate = static_cast<float>(step.lr / correction);
    return {PrologueOf(step), rate, beta1_, beta2_, delta_};
  }
  const UpdateKernel& kernel() const override { return AdaMaxUpdate; }

  Decay beta1_;
  float beta2_ = 0, delta_ = 0;
};
SINGA_REGISTER_UPDATER(kAdamMax, AdaMaxUpdater);

}  // namespace
}  // namespace singa
