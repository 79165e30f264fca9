// Nesterov's accelerated gradient in the form of Bengio et al., arXiv:1212.0901, equation 7; equals
// torch.optim.SGD(nesterov=True) while lr is constant.
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "singa/train/updater.h"
#include "train/check_range.h"
#include "train/updater/update_kernels.h"

namespace singa {
namespace {

// (1 + momentum) h' - momentum h = momentum h' + lr g.
SINGA_CPU_CLONES_EXACT void NesterovSlice(GradientPrologue prologue, float lr, float momentum,
                                          float* __restrict w, const float* __restrict g,
                                          float* __restrict h, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float lr_g = lr * prologue(g[i], w[i]);
    h[i] = momentum * h[i] + lr_g;
    w[i] -= momentum * h[i] + lr_g;
  }
}

void CpuNesterov(Context& ctx, GradientPrologue prologue, float lr, float momentum, float* w,
                 const float* g, float* h, int64_t n) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    NesterovSlice(prologue, lr, momentum, w + i, g + i, h + i, end - i);
  });
}

[[maybe_unused]] const bool registered = NesterovUpdate.Set(Device::kCpu, CpuNesterov);

class NesterovUpdater final : public Updater {
 public:
  void Setup(const UpdaterProto& conf) override {
    Updater::Setup(conf);
    momentum_ = conf.momentum();
    CheckRange(momentum_ >= 0 && momentum_ < 1, "momentum", "in [0, 1)", momentum_);
  }
  std::vector<std::string> states() const override { return {"momentum"}; }
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    NesterovUpdate(ctx, {clip_low(), clip_high(), step.weight_decay}, step.lr, momentum_, w, g,
                   states[0], n);
  }

 private:
  float momentum_ = 0;
};
SINGA_REGISTER_UPDATER(kNesterov, NesterovUpdater);

}  // namespace
}  // namespace singa
