// RMSProp: Tieleman and Hinton, COURSERA Neural Networks for Machine Learning, lecture 6.5 (2012);
// delta stands under the root.
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "singa/train/updater.h"
#include "train/check_range.h"
#include "train/updater/update_kernels.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void RmsPropSlice(GradientPrologue prologue, float lr, Decay rho,
                                         float delta, float* __restrict w,
                                         const float* __restrict g, float* __restrict h,
                                         int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = prologue(g[i], w[i]);
    h[i] = rho(h[i], x * x);
    w[i] -= lr * x / std::sqrt(h[i] + delta);
  }
}

void CpuRmsProp(Context& ctx, GradientPrologue prologue, float lr, Decay rho, float delta, float* w,
                const float* g, float* h, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    RmsPropSlice(prologue, lr, rho, delta, w + i, g + i, h + i, end - i);
  });
}

[[maybe_unused]] const bool registered = RmsPropUpdate.Set(Device::kCpu, CpuRmsProp);

class RmsPropUpdater final : public Updater {
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
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    RmsPropUpdate(ctx, {clip_low(), clip_high(), step.weight_decay}, step.lr, rho_, delta_, w, g,
                  states[0], n);
  }

 private:
  Decay rho_;
  float delta_ = 0;
};
SINGA_REGISTER_UPDATER(kRMSProp, RmsPropUpdater);

}  // namespace
}  // namespace singa
