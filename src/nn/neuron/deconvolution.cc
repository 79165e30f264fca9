// kDeconvolution is the transposed convolution: what a convolution with these filters, from images
// of y's shape to images of x's, gives as its input's gradient for the gradient x.
//   y[n, f, i, j] = b[f] + sum over c, p, q of W[c, f, p, q] x[n, c, k, l]
//   where k s - pad + p d = i and l s - pad + q d = j; s: stride, d: dilation
// Equals torch.nn.functional.conv_transpose2d. It has that convolution's kernels.
#include <cmath>

#include "nn/feature/own_units.h"
#include "nn/neuron/convolution.h"
#include "nn/neuron/convolution_conf.h"
#include "nn/neuron/inner_product.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

// Returns the length of one side of y, for `in` pixels of x.
int64_t Length(const WindowFields& fields, int64_t in, const char* what) {
  CheckSide(fields);
  const WindowSide& side = fields.side;
  const int64_t whole = (in - 1) * side.stride + side.extent();
  if (2 * side.pad < whole) return whole - 2 * side.pad;
  throw ConfigError(fields.pad, StrCat("must be at most ", (whole - 1) / 2, ", is ", side.pad,
                                       ": it is cut from both ends of the output's ", what,
                                       ", which is ", whole, " without it"));
}

class DeconvolutionLayer final : public Layer {
 public:
  // A worker's filters of one group are columns of the weight, which are no run of its memory.
  Wiring wiring(const LayerProto& conf) const override {
    return WiringOfGroups(conf, UnitCut::kNone);
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const ConvolutionProto& conv = conf.convolution_conf();
    desc_.out = ImageShape::Of(in[0]->data.shape());
    const WindowFields rows = RowsOf(conv, "convolution_conf"),
                       columns = ColumnsOf(conv, "convolution_conf");
    const UnitSpan own = OwnUnits(conf, "convolution_conf.num_filters", conv.num_filters()),
                   channels = ChannelsOf(conf, *in[0]);
    const Shape y = {desc_.out.n, own.count, Length(rows, desc_.out.h, "height"),
                     Length(columns, desc_.out.w, "width")};
    y.Check();
    desc_.in = ImageShape::Of(y);
    desc_.window = WindowOfSides(rows.side, columns.side);
    desc_.groups = OwnGroups(conf, channels.all, own.all);
    DeclareParams(conf, channels, own, declare);
    out[0]->data.SetShape(y);
    out[0]->units = own;
  }

  Traits traits() const override { return TraitsOfFilters(lacks_bias_); }
  Work work() const override { return WorkOfFilters(desc_); }

  void Prepare(Context& ctx, Declare& declare, Inputs, Outputs out) override {
    desc_.weight_gradient = out[0]->wants_grad && weight_->trains();
    plan_ = MakeConvolution.Make(ctx, desc_);
    declare.Scratch(plan_->scratch_bytes());
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    float* const y = out[0]->data.data();
    RunInOrder(ctx, [=, plan = plan_.get(), x = in[0]->data.data(),
                     w = weight_->data.data()](Context& own) { plan->BackwardData(own, x, w, y); });
    if (bias_) AddBias(ctx, bias_->data.data(), y, pixels(), desc_.in.c);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float *x = in[0]->data.data(), *dy = out[0]->grad.data(), *w = weight_->data.data();
    if (bias_ && !bias_->grad.empty())
      SumBiasGradient(ctx, dy, bias_->beta(), bias_->grad.data(), pixels(), desc_.in.c);
    float* const dx = in[0]->grad.empty() ? nullptr : in[0]->grad.data();
    float* const dw = weight_->grad.empty() ? nullptr : weight_->grad.data();
    RunInOrder(ctx, [=, plan = plan_.get(), beta = weight_->beta()](Context& own) {
      if (dw) plan->BackwardWeights(own, dy, x, beta, dw, 0, nullptr);
      if (dx) plan->Forward(own, dy, w, nullptr, dx);
    });
  }

 private:
  // The weight has the convolution's shape: a row for each channel of x.
  void DeclareParams(const LayerProto& conf, const UnitSpan& channels, const UnitSpan& own,
                     Declare& declare) {
    // Keeps two factors, so that Shape checks a product beyond int64.
    const int64_t columns =
        Shape({desc_.channels(), desc_.window.y.kernel, desc_.window.x.kernel}).size();
    const ParamGenProto init = UniformValues(1 / std::sqrt(columns));
    weight_ = declare.Param(0, {channels.all, columns}, channels, init);
    // The matrix that a plan may make of an image.
    Shape({desc_.out.pixels(), desc_.groups, columns}).Check();
    lacks_bias_ = LacksBias(conf);
    if (!HasBias(conf)) return;
    bias_ = declare.Param(1, {own.all}, own, init);
    declare.Uses(AddBias, SumBiasGradient);
  }

  // Returns the number of pixels of all images of y.
  int64_t pixels() const { return desc_.in.n * desc_.in.pixels(); }

  ConvolutionDesc desc_;  // in: y, out: x
  std::unique_ptr<ConvolutionPlan> plan_;
  Param* weight_ = nullptr;
  Param* bias_ = nullptr;    // null: none
  bool lacks_bias_ = false;  // Traits::lacks_bias
};

SINGA_REGISTER_LAYER(kDeconvolution, DeconvolutionLayer);

}  // namespace
}  // namespace singa
