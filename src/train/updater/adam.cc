// Adam: Kingma and Ba, arXiv:1412.6980, algorithm 1; equals torch.optim.Adam.
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "singa/train/updater.h"
#include "train/check_range.h"
#include "train/updater/update_kernels.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void AdamSlice(GradientPrologue prologue, float rate, float root_scale,
                                      Decay beta1, Decay beta2, float delta, float* __restrict w,
                                      const float* __restrict g, float* __restrict m,
                                      float* __restrict v, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = prologue(g[i], w[i]);
    m[i] = beta1(m[i], x);
    v[i] = beta2(v[i], x * x);
    w[i] -= rate * m[i] / (root_scale * std::sqrt(v[i]) + delta);
  }
}

void CpuAdam(Context& ctx, GradientPrologue prologue, float rate, float root_scale, Decay beta1,
             Decay beta2, float delta, float* w, const float* g, float* m, float* v, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    AdamSlice(prologue, rate, root_scale, beta1, beta2, delta, w + i, g + i, m + i, v + i, end - i);
  });
}

[[maybe_unused]] const bool registered = AdamUpdate.Set(Device::kCpu, CpuAdam);

class AdamUpdater final : public Updater {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    const AdamProto& adam = conf.adam_conf();
    CheckRange(adam.beta1() >= 0 && adam.beta1() < 1, "adam_conf.beta1", "in [0, 1)", adam.beta1());
    CheckRange(adam.beta2() >= 0 && adam.beta2() < 1, "adam_conf.beta2", "in [0, 1)", adam.beta2());
    beta1_ = Decay(adam.beta1());
    beta2_ = Decay(adam.beta2());
    delta_ = conf.delta();
    CheckRange(delta_ > 0, "delta", "> 0", delta_);
  }
  std::vector<std::string> states() const override { return {"m", "v"}; }
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    const double t = static_cast<double>(step.count);
    const double correction1 = 1 - std::pow(double{beta1_.keep}, t);
    const double correction2 = 1 - std::pow(double{beta2_.keep}, t);
    AdamUpdate(ctx, {clip_low(), clip_high(), step.weight_decay},
               static_cast<float>(step.lr / correction1),
               static_cast<float>(1 / std::sqrt(correction2)), beta1_, beta2_, delta_, w, g,
               states[0], states[1], n);
  }

 private:
  Decay beta1_, beta2_;
  float delta_ = 0;
};
SINGA_REGISTER_UPDATER(kAdam, AdamUpdater);

}  // namespace
}  // namespace singa
