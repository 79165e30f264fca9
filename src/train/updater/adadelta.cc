// AdaDelta: Zeiler, arXiv:1212.5701, algorithm 1, with its step times lr. It equals
// torch.optim.Adadelta.
#include "base/check_range.h"
#include "math/cpu_dispatch.h"
#include "train/updater/element_updater.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdaDeltaSlice(AdaDeltaElement element, float* __restrict w,
                                          const float* __restrict g, float* __restrict h,
                                          float* __restrict u, int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, h + i, u + i);
}

[[maybe_unused]] const bool registered =
    AdaDeltaUpdate.Set(Device::kCpu, UpdateOnHost<AdaDeltaElement, 2, AdaDeltaSlice>);

class AdaDeltaUpdater final : public ElementUpdater<AdaDeltaElement> {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    const float rho = conf.adadelta_conf().rho();
    CheckRange(rho >= 0 && rho < 1, "adadelta_conf.rho", "in [0, 1)", rho);
    rho_ = Decay(rho);
    delta_ = conf.delta();
    CheckRange(delta_ > 0, "delta", "> 0", delta_);
  }
  std::vector<std::string> states() const override { return {"mean_square", "mean_square_step"}; }

 private:
  AdaDeltaElement ElementOf(const UpdateStep& step) const override {
    return {PrologueOf(step), step.lr, rho_, delta_};
  }
  const UpdateKernel& kernel() const override { return AdaDeltaUpdate; }

  Decay rho_;
  float delta_ = 0;
};
SINGA_REGISTER_UPDATER(kAdaDelta, AdaDeltaUpdater);

}  // namespace
}  // namespace singa
