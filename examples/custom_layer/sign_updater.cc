// Sign: w -= lr sign(h), h = momentum h + (1 - momentum) g: Bernstein et al., "signSGD: Compressed
// Optimisation for Non-Convex Problems", ICML 2018 (Signum).
#include "singa/base/error.h"
#include "singa/train/updater.h"

namespace {

class SignUpdater final : public singa::Updater {
 public:
  void Setup(const singa::UpdaterProto& conf) override {
    Updater::Setup(conf);
    momentum_ = conf.momentum();
    if (!(momentum_ >= 0 && momentum_ < 1))
      throw singa::ConfigError("momentum", singa::StrCat("must be in [0, 1), is ", momentum_));
  }

  std::vector<std::string> states() const override { return {"momentum"}; }

  void Update(singa::Context&, const singa::UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) override {
    float* h = states[0];
    for (int64_t i = 0; i < n; ++i) {
      h[i] = momentum_ * h[i] + (1 - momentum_) * (g[i] + step.weight_decay * w[i]);
      w[i] -= h[i] > 0 ? step.lr : h[i] < 0 ? -step.lr : 0;
    }
  }

 private:
  float momentum_ = 0;
};
SINGA_REGISTER_UPDATER(Sign, SignUpdater);

}  // namespace
