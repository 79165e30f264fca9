// Nesterov's accelerated gradient in the form of Bengio et al., arXiv:1212.0901, equation 7; equals
// torch.optim.SGD(nesterov=True) while lr is constant.
#include "base/check_range.h"
#include "math/cpu_dispatch.h"
#include "train/updater/element_updater.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void NesterovSlice(NesterovElement element, float* __restrict w,
                                          const float* __restrict g, float* __restrict h,
                                          int64_t n) {
  for (int64_t i = 0; i < n; ++i) element(g[i], w + i, h + i);
}

[[maybe_unused]] const bool registered =
    NesterovUpdate.Set(Device::kCpu, UpdateOnHost<NesterovElement, 1, NesterovSlice>);

class NesterovUpdater final : public ElementUpdater<NesterovElement> {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    momentum_ = conf.momentum();
    CheckRange(momentum_ >= 0 && momentum_ < 1, "momentum", "in [0, 1)", momentum_);
  }
  std::vector<std::string> states() const override { return {"momentum"}; }

 private:
  NesterovElement ElementOf(const UpdateStep& step) const override {
    return {PrologueOf(step), step.lr, momentum_};
  }
  const UpdateKernel& kernel() const override { return NesterovUpdate; }

  float momentum_ = 0;
};
SINGA_REGISTER_UPDATER(kNesterov, NesterovUpdater);

}  // namespace
}  // namespace singa
