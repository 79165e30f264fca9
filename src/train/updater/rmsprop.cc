// RMSProp: Tieleman and Hinton, COURSERA Neural Networks for Machine Learning, lecture 6.5 (2012);
// delta stands under the root.
#include "base/check_range.h"
#include "math/cpu_dispatch.h"
#include "train/updater/element_updater.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void RmsPropSlice(RmsPropElement element, float* __restrict w,
                                         const float* __restrict g, float* __restrict h,
                                         int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, h + i);
}

[[maybe_unused]] const bool registered =
    RmsPropUpdate.Set(Device::kCpu, UpdateOnHost<RmsPropElement, 1, RmsPropSlice>);

class RmsPropUpdater final : public ElementUpdater<RmsPropElement> {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    if (!conf.has_rmsprop_conf())
      throw ConfigError("rmsprop_conf", "is missing; kRMSProp needs its rho");
    const float rho = conf.rmsprop_conf().rho();
    CheckRange(rho >= 0 && rho < 1, "rmsprop_conf.rho", "in [0, 1)", rho);
    rho_ = Decay(rho);
    delta_ = conf.delta();
    CheckRange(delta_ > 0, "delta", "> 0", delta_);
  }
  std::vector<std::string> states() const override { return {"mean_square"}; }

 private:
  RmsPropElement ElementOf(const UpdateStep& step) const override {
    return {PrologueOf(step), step.lr, rho_, delta_};
  }
  const UpdateKernel& kernel() const override { return RmsPropUpdate; }

  Decay rho_;
  float delta_ = 0;
};
SINGA_REGISTER_UPDATER(kRMSProp, RmsPropUpdater);

}  // namespace
}  // namespace singa
