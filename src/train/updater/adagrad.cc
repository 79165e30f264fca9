// AdaGrad: Duchi, Hazan and Singer, JMLR 12 (2011), diagonal form; delta stands under the root.
#include "base/check_range.h"
#include "math/cpu_dispatch.h"
#include "train/updater/element_updater.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdaGradSlice(AdaGradElement element, float* __restrict w,
                                         const float* __restrict g, float* __restrict h,
                                         int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, h + i);
}

[[maybe_unused]] const bool registered =
    AdaGradUpdate.Set(Device::kCpu, UpdateOnHost<AdaGradElement, 1, AdaGradSlice>);

class AdaGradUpdater final : public ElementUpdater<AdaGradElement> {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    delta_ = conf.delta();
    CheckRange(delta_ > 0, "delta", "> 0", delta_);
  }
  std::vector<std::string> states() const override { return {"sum_of_squares"}; }

 private:
  AdaGradElement ElementOf(const UpdateStep& step) const override {
    return {PrologueOf(step), step.lr, delta_};
  }
  const UpdateKernel& kernel() const override { return AdaGradUpdate; }

  float delta_ = 0;
};
SINGA_REGISTER_UPDATER(kAdaGrad, AdaGradUpdater);

}  // namespace
}  // namespace singa
