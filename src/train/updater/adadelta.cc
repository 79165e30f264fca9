// AdaDelta: Zeiler, arXiv:1212.5701, algorithm 1, its step times lr; equals torch.optim.Adadelta.
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "singa/train/updater.h"
#include "train/check_range.h"
#include "train/updater/update_kernels.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdaDeltaSlice(GradientPrologue prologue, float lr, Decay rho,
                                          float delta, float* __restrict w,
                                          const float* __restrict g, float* __restrict h,
                                          float* __restrict u, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = prologue(g[i], w[i]);
    h[i] = rho(h[i], x * x);
    const float t = x * std::sqrt((u[i] + delta) / (h[i] + delta));
    u[i] = rho(u[i], t * t);
    w[i] -= lr * t;
  }
}

void CpuAdaDelta(Context& ctx, GradientPrologue prologue, float lr, Decay rho, float delta,
                 float* w, const float* g, float* h, float* u, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    AdaDeltaSlice(prologue, lr, rho, delta, w + i, g + i, h + i, u + i, end - i);
  });
}

[[maybe_unused]] const bool registered = AdaDeltaUpdate.Set(Device::kCpu, CpuAdaDelta);

class AdaDeltaUpdater final : public Updater {
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
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    AdaDeltaUpdate(ctx, {clip_low(), clip_high(), step.weight_decay}, step.lr, rho_, delta_, w, g,
                   states[0], states[1], n);
  }

 private:
  Decay rho_;
  float delta_ = 0;
};
SINGA_REGISTER_UPDATER(kAdaDelta, AdaDeltaUpdater);

}  // namespace
}  // namespace singa
