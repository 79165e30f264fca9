// AdaGrad: Duchi, Hazan and Singer, JMLR 12 (2011), diagonal form; delta stands under the root.
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "singa/train/updater.h"
#include "train/check_range.h"
#include "train/updater/update_kernels.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdaGradSlice(GradientPrologue prologue, float lr, float delta,
                                         float* __restrict w, const float* __restrict g,
                                         float* __restrict h, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = prologue(g[i], w[i]);
    h[i] += x * x;
    w[i] -= lr * x / std::sqrt(h[i] + delta);
  }
}

void CpuAdaGrad(Context& ctx, GradientPrologue prologue, float lr, float delta, float* w,
                const float* g, float* h, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    AdaGradSlice(prologue, lr, delta, w + i, g + i, h + i, end - i);
  });
}

[[maybe_unused]] const bool registered = AdaGradUpdate.Set(Device::kCpu, CpuAdaGrad);

class AdaGradUpdater final : public Updater {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    delta_ = conf.delta();
    CheckRange(delta_ > 0, "delta", "> 0", delta_);
  }
  std::vector<std::string> states() const override { return {"sum_of_squares"}; }
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    AdaGradUpdate(ctx, {clip_low(), clip_high(), step.weight_decay}, step.lr, delta_, w, g,
                  states[0], n);
  }

 private:
  float delta_ = 0;
};
SINGA_REGISTER_UPDATER(kAdaGrad, AdaGradUpdater);

}  // namespace
}  // namespace singa
