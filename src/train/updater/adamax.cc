// AdaMax: Kingma and Ba, arXiv:1412.6980, algorithm 2, with delta added to the divisor.
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "singa/train/updater.h"
#include "train/check_range.h"
#include "train/updater/update_kernels.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdaMaxSlice(GradientPrologue prologue, float rate, Decay beta1,
                                        float beta2, float delta, float* __restrict w,
                                        const float* __restrict g, float* __restrict m,
                                        float* __restrict u, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = prologue(g[i], w[i]);
    const float decayed = beta2 * u[i], size = std::fabs(x);
    m[i] = beta1(m[i], x);
    u[i] = decayed > size ? decayed : size;
    w[i] -= rate * m[i] / (u[i] + delta);
  }
}

void CpuAdaMax(Context& ctx, GradientPrologue prologue, float rate, Decay beta1, float beta2,
               float delta, float* w, const float* g, float* m, float* u, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    AdaMaxSlice(prologue, rate, beta1, beta2, delta, w + i, g + i, m + i, u + i, end - i);
  });
}

[[maybe_unused]] const bool registered = AdaMaxUpdate.Set(Device::kCpu, CpuAdaMax);

class AdaMaxUpdater final : public Updater {
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
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    const double correction = 1 - std::pow(double{beta1_.keep}, static_cast<double>(step.count));
    AdaMaxUpdate(ctx, {clip_low(), clip_high(), step.weight_decay},
                 static_cast<float>(step.lr / correction), beta1_, beta2_, delta_, w, g, states[0],
                 states[1], n);
  }

 private:
  Decay beta1_;
  float beta2_ = 0, delta_ = 0;
};
SINGA_REGISTER_UPDATER(kAdamMax, AdaMaxUpdater);

}  // namespace
}  // namespace singa
