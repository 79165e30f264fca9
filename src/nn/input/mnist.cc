// kMnist (deprecated) gives the images of kShardData as squares of one channel, x / norm_a -
// norm_b.
#include "nn/input/mnist.h"

#include <cmath>

#include "math/parallel_slices.h"
#include "nn/input/mnist_elements.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

void Normalise(Context& ctx, const float* x, float* y, int64_t n, float a, float b) {
  ParallelSlices(ctx, n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = DivideSubtractOf{a, b}(x[i]);
  });
}

[[maybe_unused]] const bool registered = DivideSubtract.Set(Device::kCpu, Normalise);

class MnistLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    declare.Uses(DivideSubtract);
    a_ = conf.mnist_conf().norm_a();
    b_ = conf.mnist_conf().norm_b();
    if (!std::isfinite(a_) || a_ == 0)
      throw ConfigError("mnist_conf.norm_a", StrCat("must be finite and not 0, is ", a_));
    if (!std::isfinite(b_))
      throw ConfigError("mnist_conf.norm_b", StrCat("must be finite, is ", b_));
    const Shape& x = in[0]->data.shape();
    const int64_t size = in[0]->data.row_size();
    const int64_t side = std::lround(std::sqrt(size));
    if (side * side != size || (x.dims() == 4 && x[1] != 1))
      throw ConfigError("srclayers",
                        StrCat("needs square images of one channel, has ", x.ToString()));
    out[0]->data.SetShape({x[0], 1, side, side});
  }

  Traits traits() const override { return {.on_device = true}; }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    DivideSubtract(ctx, in[0]->data.data(), out[0]->data.data(), in[0]->data.size(), a_, b_);
  }

 private:
  float a_ = 1, b_ = 0;
};

SINGA_REGISTER_LAYER(kMnist, MnistLayer);

}  // namespace
}  // namespace singa
