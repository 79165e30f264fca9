// Stochastic gradient descent, with momentum (Polyak 1964) if momentum > 0.
#include "base/check_range.h"
#include "math/cpu_dispatch.h"
#include "train/updater/element_updater.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void SgdSlice(SgdElement element, float* __restrict w,
                                     const float* __restrict g, int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i);
}

SINGA_CPU_CLONES_EXACT void MomentumSlice(SgdElement element, float* __restrict w,
                                          const float* __restrict g, float* __restrict h,
                                          int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, h + i);
}

[[maybe_unused]] const bool registered =
    SgdUpdate.Set(Device::kCpu, UpdateOnHost<SgdElement, 0, SgdSlice>) &&
    MomentumUpdate.Set(Device::kCpu, UpdateOnHost<SgdElement, 1, MomentumSlice>);

class SgdUpdater final : public ElementUpdater<SgdElement> {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    momentum_ = conf.momentum();
    CheckRange(momentum_ >= 0 && momentum_ < 1, "momentum", "in [0, 1)", momentum_);
  }
  std::vector<std::string> states() const override {
    return momentum_ > 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
  }
  float momentum() const override { return momentum_; }

 private:
  SgdElement ElementOf(const UpdateStep& step) const override {
    return {PrologueOf(step), step.lr, momentum_};
  }
  const UpdateKernel& kernel() const override { return momentum_ > 0 ? MomentumUpdate : SgdUpdate; }

  float momentum_ = 0;
};
SINGA_REGISTER_UPDATER(kSGD, SgdUpdater);

}  // namespace
}  // namespace singa
