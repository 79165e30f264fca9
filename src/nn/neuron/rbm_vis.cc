// kRBMVis is the visible side of an RBM. Its sources are its input and its kRBMHid, which it reads
// back. Its feature is the input; in negative passes it is the mean of the visible units for a
// sample of the hidden ones. Metric "squared_error": the mean over rows of |input - its
// reconstruction|^2.
#include "math/elementwise/elementwise.h"
#include "math/random/random_kernels.h"
#include "math/reduction/sum.h"
#include "nn/feature/flat_rows.h"
#include "nn/loss/euclidean_loss.h"
#include "nn/neuron/inner_product.h"
#include "nn/neuron/rbm.h"
#include "singa/math/gemm.h"
#include "singa/math/random_fill.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

class RbmVisLayer final : public RbmLayer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.feedback_slots = 1u << 1}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 2);
    name_ = conf.name();
    flat_ = FlatRows(in[0]->data.shape());
    SetUpSide(conf, declare, flat_.rows(), flat_.row_size(), flat_.row_size());
    gaussian_ = conf.rbm_conf().gaussian();
    declare.Uses(SigmoidForward, RowDistances, AddSum);
    if (gaussian_)
      declare.Uses(GaussianKernel, GaussianSample);
    else
      declare.Uses(UniformKernel, BinarySample);
    if (!flat_.in_order()) declare.Uses(TransposeEach);
    input_ = declare.Buffer({rows_, visible_}, Keep::kStep);
    hidden_positive_ = declare.Buffer({rows_, hidden_}, Keep::kStep);
    if (bias_) positive_sums_ = declare.Buffer({visible_}, Keep::kStep);
    if (conf.rbm_conf().persistent())
      chain_ = declare.RowBuffer("chain", {rows_, hidden_}, in[0]->span);
    declare.Scratch((rows_ * hidden_ + rows_) * static_cast<int64_t>(sizeof(float)));
    error_ = declare.Metric("squared_error");
    out[0]->data.SetShape({rows_, visible_});
  }

  // Counts one negative pass.
  Work work() const override {
    const double product =
        2.0 * static_cast<double>(rows_ * hidden_) * static_cast<double>(visible_);
    return {product, 0, 2 * product};
  }

  void BeginPass(Context&, int64_t batches_before) override { pass_ = batches_before; }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    float* const vis = out[0]->data.data();
    if (!(phase & kNegative)) return Positive(ctx, phase, *in[0], vis);
    const float* hid = in[1]->data.data();
    if (phase & kTest) {  // the first negative pass begins with the data
      if (training_) pass_ = 0;
      CopyFloats(ctx, hid, hidden_positive_->data(), hidden_positive_->size());
      Reconstruct(ctx, hid, in[0]->span, vis);
      AddError(ctx, vis);
      if (!chain_ || !training_) return;
      hid = chain_->data();
    }
    Reconstruct(ctx, hid, in[0]->span, vis);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float *vis = out[0]->data.data(), *hid = in[1]->data.data();
    const int64_t batch = in[0]->span.batch;
    const float scale = 1 / static_cast<float>(batch);
    if (!weight_->grad.empty()) {
      float* const dw = weight_->grad.data();
      Gemm(ctx, hidden_, visible_, rows_, scale, Transposed(hid, hidden_), {vis, visible_},
           weight_->beta(), dw, visible_);
      Gemm(ctx, hidden_, visible_, rows_, -scale, Transposed(hidden_positive_->data(), hidden_),
           {input_->data(), visible_}, 1, dw, visible_);
    }
    if (bias_ && !bias_->grad.empty()) BiasGradient(ctx, vis, positive_sums_->data(), batch);
    if (chain_) CopyFloats(ctx, hid, chain_->data(), chain_->size());
  }

 private:
  void Positive(Context& ctx, Phase phase, const Port& in, float* vis) {
    training_ = phase & kTrain;
    const float* x = flat_.InOrder(ctx, in.data.data(), vis);
    CopyFloats(ctx, x, vis, input_->size());
    if (!(phase & kPositive)) return;  // a trained RBM is used
    CopyFloats(ctx, vis, input_->data(), input_->size());
    if (bias_) SumBiasGradient(ctx, vis, 0, positive_sums_->data(), rows_, visible_);
  }

  // Computes the mean of the visible units for a sample of the hidden ones, whose means are `hid`.
  // Each negative pass draws other numbers.
  void Reconstruct(Context& ctx, const float* hid, const RowSpan& span, float* vis) {
    float* const sample = static_cast<float*>(ctx.scratch);
    const int64_t n = rows_ * hidden_;
    const Philox stream = ctx.Random(name_);
    const uint64_t first = (pass_++ << kPassBits) + span.GlobalRow(0) * hidden_;
    if (gaussian_) {
      FillGaussian(ctx, stream, first, n, 0, 1, sample);
      GaussianSample(ctx, hid, sample, n);
    } else {
      FillUniform(ctx, stream, first, n, 0, 1, sample);
      BinarySample(ctx, hid, sample, n);
    }
    Gemm(ctx, rows_, visible_, hidden_, 1, {sample, hidden_}, {weight_->data.data(), visible_}, 0,
         vis, visible_);
    if (bias_) AddBias(ctx, bias_->data.data(), vis, rows_, visible_);
    SigmoidForward(ctx, vis, vis, rows_ * visible_);
  }

  void AddError(Context& ctx, const float* vis) {
    float* const distance = static_cast<float*>(ctx.scratch) + rows_ * hidden_;
    RowDistances(ctx, input_->data(), vis, distance, nullptr, rows_, visible_);
    AddSum(ctx, distance, error_->cell.as<double>(), rows_, static_cast<double>(rows_));
  }

  std::string name_;
  FlatRows flat_;
  bool gaussian_ = false;  // kind of the hidden units
  bool training_ = false;
  // Each pass has 2^44 random numbers, more than a batch has units.
  static constexpr int kPassBits = 44;
  int64_t pass_ = 0;  // number of negative passes in this training step, or in this test
  Tensor *input_ = nullptr, *hidden_positive_ = nullptr;
  Tensor* positive_sums_ = nullptr;  // null: no bias
  Tensor* chain_ = nullptr;          // hidden means; null: not persistent
  Metric* error_ = nullptr;
};
SINGA_REGISTER_LAYER(kRBMVis, RbmVisLayer);

}  // namespace
}  // namespace singa
