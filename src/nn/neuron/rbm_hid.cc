// kRBMHid is the hidden side of an RBM; its feature is the mean of its units. Its source is its
// kRBMVis.
#include "math/elementwise/elementwise.h"
#include "nn/neuron/inner_product.h"
#include "nn/neuron/rbm.h"
#include "singa/math/gemm.h"

namespace singa {
namespace {

class RbmHidLayer final : public RbmLayer {
 public:
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const Shape& vis = in[0]->data.shape();
    SetUpSide(conf, declare, vis[0], vis.size(1), conf.rbm_conf().hdim());
    declare.GivesNoGradient(weight_);  // the visible side gives it
    gaussian_ = conf.rbm_conf().gaussian();
    if (!gaussian_) declare.Uses(SigmoidForward);
    if (bias_) positive_sums_ = declare.Buffer({units_}, Keep::kStep);
    out[0]->data.SetShape({rows_, units_});
  }

  // Counts one negative pass.
  Work work() const override {
    return {4.0 * static_cast<double>(rows_) * static_cast<double>(hidden_ * visible_), 0, 0};
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    float* const y = out[0]->data.data();
    Gemm(ctx, rows_, hidden_, visible_, 1, {in[0]->data.data(), visible_},
         Transposed(weight_->data.data(), visible_), 0, y, hidden_);
    if (bias_) AddBias(ctx, bias_->data.data(), y, rows_, hidden_);
    if (!gaussian_) SigmoidForward(ctx, y, y, rows_ * hidden_);
    if (bias_ && (phase & kTrain))
      SumBiasGradient(ctx, y, 0, positive_sums_->data(), rows_, hidden_);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (bias_ && !bias_->grad.empty())
      BiasGradient(ctx, out[0]->data.data(), positive_sums_->data(), in[0]->span.batch);
  }

 private:
  bool gaussian_ = false;
  Tensor* positive_sums_ = nullptr;  // null: no bias
};
SINGA_REGISTER_LAYER(kRBMHid, RbmHidLayer);

}  // namespace
}  // namespace singa
