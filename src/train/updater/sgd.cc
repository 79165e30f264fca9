// Stochastic gradient descent, with momentum (Polyak 1964) where momentum > 0.
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "singa/train/updater.h"
#include "train/check_range.h"
#include "train/updater/update_kernels.h"

namespace singa {
namespace {

SINGA_CPU_CLONES_EXACT void SgdSlice(GradientPrologue prologue, float lr, float* __restrict w,
                                     const float* __restrict g, int64_t n) {
  for (int64_t i = 0; i < n; ++i) w[i] -= lr * prologue(g[i], w[i]);
}

SINGA_CPU_CLONES_EXACT void MomentumSlice(GradientPrologue prologue, float lr, float momentum,
                                          float* __restrict w, const float* __restrict g,
                                          float* __restrict h, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    h[i] = momentum * h[i] - lr * prologue(g[i], w[i]);
    w[i] += h[i];
  }
}

void CpuSgd(Context& ctx, GradientPrologue prologue, float lr, float* w, const float* g,
            int64_t n) {
  ParallelSlices(ctx, n,
                 [&](int64_t i, int64_t end) { SgdSlice(prologue, lr, w + i, g + i, end - i); });
}

void CpuMomentum(Context& ctx, GradientPrologue prologue, float lr, float momentum, float* w,
                 const float* g, float* h, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    MomentumSlice(prologue, lr, momentum, w + i, g + i, h + i, end - i);
  });
}

[[maybe_unused]] const bool registered =
    SgdUpdate.Set(Device::kCpu, CpuSgd) && MomentumUpdate.Set(Device::kCpu, CpuMomentum);

class SgdUpdater final : public Updater {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    momentum_ = conf.momentum();
    CheckRange(momentum_ >= 0 && momentum_ < 1, "momentum", "in [0, 1)", momentum_);
  }
  std::vector<std::string> states() const override {
    return momentum_ > 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
  }
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    const GradientPrologue prologue{clip_low(), clip_high(), step.weight_decay};
    if (momentum_ > 0)
      MomentumUpdate(ctx, prologue, step.lr, momentum_, w, g, states[0], n);
    else
      SgdUpdate(ctx, prologue, step.lr, w, g, n);
  }

 private:
  float momentum_ = 0;
};
SINGA_REGISTER_UPDATER(kSGD, SgdUpdater);

}  // namespace
}  // namespace singa
