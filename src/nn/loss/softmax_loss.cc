// kSoftmaxLoss has the sources logits and labels. Its feature is softmax(logits). Metric "loss" is
// the mean of scale times the cross-entropy, in training with smoothed labels. Metric "accuracy" is
// the share of rows whose label is in the top k. If the conf asks for it, metric "bits" is the loss
// in bits. Rows whose label is ignore_label count in no metric and give no gradient. The gradients
// of the other rows are still divided by the whole batch, so a sequence's weight is its number of
// steps, however it is padded.
#include "nn/loss/softmax_loss.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <numbers>

#include "math/cpu_dispatch.h"
#include "math/reduction/softmax.h"
#include "math/reduction/top_k.h"
#include "nn/loss/labels.h"
#include "nn/neuron/flat_rows.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

double Log(double p) { return std::log(p < FLT_MIN ? FLT_MIN : p); }  // NaN stays

void Entropy(Context&, const float* p, const int32_t* label, int64_t ignored, double* cell,
             int64_t n, int64_t d, float smoothing, double factor) {
  double sum = 0, all = 0;
  int64_t rows = 0;
  for (int64_t i = 0; i < n; ++i, p += d) {
    if (label[i] == ignored) continue;
    ++rows;
    sum -= (1. - smoothing) * Log(p[label[i]]);
    for (int64_t j = 0; smoothing > 0 && j < d; ++j) all += Log(p[j]);
  }
  cell[0] += factor * (sum - smoothing / static_cast<double>(d) * all);
  cell[1] += static_cast<double>(rows);
}

SINGA_CPU_CLONES void Scale(const float* p, float* dx, int64_t n, float scale, float uniform) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = scale * (p[i] - uniform);
}

void Backward(Context&, const float* p, const int32_t* label, int64_t ignored, float* dx, int64_t n,
              int64_t d, float scale, float smoothing) {
  const float uniform = smoothing / static_cast<float>(d), own = uniform + (1 - smoothing);
  for (int64_t i = 0; i < n; ++i, p += d, dx += d) {
    if (label[i] == ignored) {
      std::memset(dx, 0, d * sizeof(float));
      continue;
    }
    Scale(p, dx, d, scale, uniform);
    dx[label[i]] = scale * (p[label[i]] - own);
  }
}

[[maybe_unused]] const bool registered =
    CrossEntropy.Set(Device::kCpu, Entropy) && SoftmaxLossBackward.Set(Device::kCpu, Backward);

class SoftmaxLossLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .reads_scores = true};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 2);
    name_ = conf.name();
    flat_ = FlatRows(in[0]->data.shape());
    RequireLabels(conf, in, flat_.rows());
    topk_ = conf.softmaxloss_conf().topk();
    if (topk_ < 1 || topk_ > flat_.row_size())
      throw ConfigError("softmaxloss_conf.topk",
                        StrCat("must be in [1, ", flat_.row_size(), "], is ", topk_));
    scale_ = conf.softmaxloss_conf().scale();
    if (!std::isfinite(scale_))
      throw ConfigError("softmaxloss_conf.scale", StrCat("must be finite, is ", scale_));
    smoothing_ = conf.softmaxloss_conf().label_smoothing();
    if (!(smoothing_ >= 0 && smoothing_ < 1))
      throw ConfigError("softmaxloss_conf.label_smoothing",
                        StrCat("must be in [0, 1), is ", smoothing_));
    ignored_ = IgnoredLabelOf(conf.softmaxloss_conf());
    loss_ = declare.Metric("loss");
    accuracy_ = declare.Metric("accuracy");
    if (conf.softmaxloss_conf().bits()) bits_ = declare.Metric("bits");
    declare.Uses(SoftmaxForward, CrossEntropy, CountTopK, SoftmaxLossBackward);
    if (!flat_.in_order()) declare.Uses(TransposeEach);
    if (!flat_.in_order()) declare.Scratch(in[0]->data.bytes());
    out[0]->data.SetShape({flat_.rows(), flat_.row_size()});
  }

  Traits traits() const override {
    return {.grad_reads_out = true,
            .in_place_with = flat_.in_order() ? 0 : -1,
            .originates_gradient = true,
            .on_device = true,
            .checks = 1u << 1,
            .gives_softmax = true};
  }

  void CheckInputs(Phase phase, Inputs in) override {
    if (!(phase & kDeploy)) CheckLabels(name_, *in[1], flat_.row_size(), ignored_);
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t n = flat_.rows(), d = flat_.row_size();
    const float* x = in[0]->data.data();
    float* p = out[0]->data.data();
    if (!flat_.in_order()) {
      flat_.FromStored(ctx, x, p);
      x = p;
    }
    SoftmaxForward(ctx, x, p, n, d);
    if (phase & kDeploy) return;
    const int32_t* label = in[1]->label.as<int32_t>();
    const float smoothing = phase & kTrain ? smoothing_ : 0;
    CrossEntropy(ctx, p, label, ignored_, loss_->cell.as<double>(), n, d, smoothing, scale_);
    CountTopK(ctx, p, label, ignored_, accuracy_->cell.as<double>(), n, d, topk_);
    if (bits_)
      CrossEntropy(ctx, p, label, ignored_, bits_->cell.as<double>(), n, d, smoothing,
                   scale_ / std::numbers::ln2);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    Tensor& label_grad = in[1]->grad;
    if (!label_grad.empty()) ZeroBytes(ctx, label_grad.data(), label_grad.bytes());
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    float* flat_dx = flat_.in_order() ? dx : static_cast<float*>(ctx.scratch);
    const auto rows_of_group = static_cast<float>(in[0]->span.batch);
    SoftmaxLossBackward(ctx, out[0]->data.data(), in[1]->label.as<int32_t>(), ignored_, flat_dx,
                        flat_.rows(), flat_.row_size(), scale_ / rows_of_group, smoothing_);
    if (!flat_.in_order()) flat_.ToStored(ctx, flat_dx, dx);
  }

 private:
  std::string name_;
  FlatRows flat_;
  int64_t topk_ = 1;
  float scale_ = 1, smoothing_ = 0;
  int64_t ignored_ = kNoneIgnored;
  Metric *loss_ = nullptr, *accuracy_ = nullptr;
  Metric* bits_ = nullptr;  // null: the conf does not ask for it
};

SINGA_REGISTER_LAYER(kSoftmaxLoss, SoftmaxLossLayer);
SINGA_REGISTER_LAYER(kCudnnSoftmaxLoss, SoftmaxLossLayer);

}  // namespace
}  // namespace singa
