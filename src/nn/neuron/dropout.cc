// kDropout gives y = x m in training, else y = x. m is 0 with probability ratio, else 1 / (1 -
// ratio). m depends on (layer, step, global row, unit), so partition and folding do not change it.
#include "math/elementwise/elementwise.h"
#include "math/random/random_kernels.h"
#include "nn/feature/piece.h"
#include "singa/base/error.h"
#include "singa/math/random_fill.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

class DropoutLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .unit_cut = UnitCut::kEach};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    declare.Uses(BernoulliKernel, Multiply);
    ratio_ = conf.dropout_conf().dropout_ratio();
    if (!(ratio_ >= 0 && ratio_ < 1))
      throw ConfigError("dropout_conf.dropout_ratio", StrCat("must be in [0, 1), is ", ratio_));
    stream_ = conf.name();
    out[0]->data.SetShape(in[0]->data.shape());
    if (ratio_ > 0) mask_ = declare.Buffer(in[0]->data.shape(), Keep::kForwardToBackward);
  }

  Traits traits() const override { return {.in_place_with = 0, .on_device = true}; }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    masked_ = (phase & kTrain) && mask_;
    if (masked_) DrawMask(ctx, *in[0]);
    Apply(ctx, in[0]->data, &out[0]->data);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (!in[0]->grad.empty()) Apply(ctx, out[0]->grad, &in[0]->grad);
  }

 private:
  void DrawMask(Context& ctx, const Port& in) {
    const RowSpan& span = in.span;
    const int64_t n = span.rows * in.data.row_size();  // elements of one time step
    for (int64_t t = 0; t < span.steps; ++t)
      DrawStep(ctx, in, span.GlobalRow(t * span.rows), n, mask_->data() + t * n);
  }

  // Draws the mask of one time step, n elements, whose first row is `row` of the whole batch.
  void DrawStep(Context& ctx, const Port& in, int64_t row, int64_t n, float* mask) {
    const Philox stream = ctx.Random(stream_);
    const auto draw = [&](int64_t first, int64_t count, float* to) {
      BernoulliMask(ctx, stream, first, count, 1 - ratio_, 1 / (1 - ratio_), to);
    };
    const auto& [first, own, all] = in.units;
    if (own == all) return draw(row * in.data.row_size(), n, mask);
    // A worker's units are a run of the whole feature for each row, and for each pixel of an image.
    const int64_t inner = Blocks(in.data.shape(), 1).inner, run = own * inner;
    const int64_t before = row * (in.data.row_size() / run);
    for (int64_t i = 0; i * run < n; ++i)
      draw(((before + i) * all + first) * inner, run, mask + i * run);
  }

  void Apply(Context& ctx, const Tensor& from, Tensor* to) const {
    if (masked_)
      Multiply(ctx, from.data(), mask_->data(), to->data(), from.size());
    else
      CopyBytes(ctx, from.data(), to->data(), from.bytes());
  }

  float ratio_ = 0;
  std::string stream_;
  Tensor* mask_ = nullptr;  // shape of x; null: ratio 0
  bool masked_ = false;     // the last ComputeFeature used the mask
};

SINGA_REGISTER_LAYER(kDropout, DropoutLayer);

}  // namespace
}  // namespace singa
