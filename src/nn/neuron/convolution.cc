#include "nn/neuron/convolution.h"

#include <cmath>

#include "nn/feature/own_units.h"
#include "nn/neuron/convolution_conf.h"
#include "nn/neuron/inner_product.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class ConvolutionLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    return WiringOfGroups(conf, UnitCut::kOwn);
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    desc_.in = ImageShape::Of(in[0]->data.shape());
    desc_.window = ReadWindow(conf.convolution_conf(), "convolution_conf", desc_.in);
    const UnitSpan own =
        OwnUnits(conf, "convolution_conf.num_filters", conf.convolution_conf().num_filters());
    desc_.groups = OwnGroups(conf, ChannelsOf(conf, *in[0]).all, own.all);
    desc_.out = {desc_.in.n, own.count, desc_.window.y.Count(desc_.in.h),
                 desc_.window.x.Count(desc_.in.w)};
    // Keeps two factors, so that Shape checks a product beyond int64.
    const int64_t columns =
        Shape({desc_.channels(), desc_.window.y.kernel, desc_.window.x.kernel}).size();
    const ParamGenProto init = UniformValues(1 / std::sqrt(columns));  // as torch.nn.Conv2d
    weight_ = declare.Param(0, {own.all, columns}, own, init);
    // The matrix that a plan may make of an image.
    Shape({desc_.out.h, desc_.out.w, desc_.groups, columns}).Check();
    desc_.bias = HasBias(conf);
    if (desc_.bias) bias_ = declare.Param(1, {own.all}, own, init);
    if (desc_.bias) declare.Uses(SumBiasGradient);
    lacks_bias_ = LacksBias(conf) && conf.type() != kCudnnConv;
    out[0]->data.SetShape({desc_.out.n, desc_.out.c, desc_.out.h, desc_.out.w});
    out[0]->units = own;
  }

  Traits traits() const override { return TraitsOfFilters(lacks_bias_); }
  Work work() const override { return WorkOfFilters(desc_); }

  void Prepare(Context& ctx, Declare& declare, Inputs in, Outputs out) override {
    desc_.data_gradient = in[0]->wants_grad;
    desc_.weight_gradient = out[0]->wants_grad && weight_->trains();
    plan_ = MakeConvolution.Make(ctx, desc_);
    declare.Scratch(plan_->scratch_bytes());
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    RunInOrder(ctx, [plan = plan_.get(), x = in[0]->data.data(), w = weight_->data.data(),
                     b = bias_ ? bias_->data.data() : nullptr,
                     y = out[0]->data.data()](Context& own) { plan->Forward(own, x, w, b, y); });
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float* dy = out[0]->grad.data();
    ConvolutionGradients to;
    if (bias_ && !bias_->grad.empty()) {
      to.db = bias_->grad.data();
      to.bias_beta = bias_->beta();
    }
    if (weight_->grad.empty()) {
      if (to.db)
        SumBiasGradient(ctx, dy, to.bias_beta, to.db, desc_.out.n * desc_.out.pixels(),
                        desc_.out.c);
      to.db = nullptr;
    } else {
      to.dw = weight_->grad.data();
      to.beta = weight_->beta();
    }
    if (!in[0]->grad.empty()) to.dx = in[0]->grad.data();
    if (!to.dw && !to.dx) return;
    RunInOrder(ctx, [=, plan = plan_.get(), x = in[0]->data.data(), w = weight_->data.data()](
                        Context& own) { plan->Backward(own, x, w, dy, to); });
  }

 private:
  ConvolutionDesc desc_;
  std::unique_ptr<ConvolutionPlan> plan_;
  Param* weight_ = nullptr;
  Param* bias_ = nullptr;    // null: none
  bool lacks_bias_ = false;  // Traits::lacks_bias; a kCudnnConv's bias was optional in SINGA 0.3
};

SINGA_REGISTER_LAYER(kConvolution, ConvolutionLayer);
SINGA_REGISTER_LAYER(kCConvolution, ConvolutionLayer);
SINGA_REGISTER_LAYER(kCudnnConv, ConvolutionLayer);

}  // namespace
}  // namespace singa
