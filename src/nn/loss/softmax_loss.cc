// kSoftmaxLoss: sources logits and labels; its feature is softmax(logits). Metrics: "loss", the
// mean of scale times the cross-entropy, in training that of smoothed labels, "accuracy", the
// share of rows whose label is in the top k, and where it is asked for "bits", the loss in bits.
// Rows whose label is ignore_label count in none of them and give no gradient; that of the others
// is still divided by the batch, so that a sequence counts by its steps, however it is padded.
#include "nn/loss/softmax_loss.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <numbers>

#include "math/cpu_dispatch.h"
#include "math/softmax.h"
#include "math/top_k.h"
#include "nn/loss/labels.h"
#include "nn/neuron/flat_rows.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

double Log(double p) { return std::log(p < FLT_MIN ? FLT_MIN : p); }  // NaN stays

void Entropy(Context&, const float* p, const int32_t* label, double* sum, int64_t n, int64_t d,
             float smoothing) {
  for (int64_t i = 0; i < n; ++i) *sum -= (1. - smoothing) * Log(p[i * d + label[i]]);
  if (smoothing == 0) return;
  double all = 0;
  for (int64_t i = 0; i < n * d; ++i) all += Log(p[i]);
  *sum -= smoothing / static_cast<double>(d) * all;
}

SINGA_CPU_CLONES void Scale(const float* p, float* dx, int64_t n, float scale, float uniform) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = scale * (p[i] - uniform);
}

void Backward(Context&, const float* p, const int32_t* label, float* dx, int64_t n, int64_t d,
              float scale, float smoothing) {
  const float uniform = smoothing / static_cast<float>(d), own = uniform + (1 - smoothing);
  Scale(p, dx, n * d, scale, uniform);
  for (int64_t i = 0; i < n; ++i) dx[i * d + label[i]] = scale * (p[i * d + label[i]] - own);
}

[[maybe_unused]] const bool registered =
    CrossEntropy.Set(Device::kCpu, Entropy) && SoftmaxLossBackward.Set(Device::kCpu, Backward);

class SoftmaxLossLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .dependency = Dependency::kOneToAll};
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
    // With units cut over workers each has all logits, and the gradients of all add up.
    if (conf.partition_dim() == 1) copies_ = conf.num_partitions();
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
            .originates_gradient = true};
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
    CheckLabels(name_, *in[1], d, ignored_);
    const int32_t* label = in[1]->label.as<int32_t>();
    double entropy = 0, hits = 0;
    const int64_t counted = ForCountedRows(label, n, ignored_, [&](int64_t r, int64_t rows) {
      CrossEntropy(ctx, p + r * d, label + r, &entropy, rows, d, phase & kTrain ? smoothing_ : 0);
      CountTopK(ctx, p + r * d, label + r, &hits, rows, d, topk_);
    });
    const auto weight = static_cast<double>(counted);
    loss_->Add(scale_ * entropy, weight);
    accuracy_->Add(hits, weight);
    if (bits_) bits_->Add(scale_ * entropy / std::numbers::ln2, weight);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    Tensor& label_grad = in[1]->grad;
    if (!label_grad.empty()) std::memset(label_grad.data(), 0, label_grad.bytes());
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    float* flat_dx = flat_.in_order() ? dx : static_cast<float*>(ctx.scratch);
    const auto rows_of_group = static_cast<float>(in[0]->span.batch * copies_);
    const float* p = out[0]->data.data();
    const int32_t* label = in[1]->label.as<int32_t>();
    const int64_t n = flat_.rows(), d = flat_.row_size();
    int64_t done = 0;  // rows
    const auto leave_out = [&](int64_t end) {
      std::memset(flat_dx + done * d, 0, (end - done) * d * sizeof(float));
    };
    ForCountedRows(label, n, ignored_, [&](int64_t r, int64_t rows) {
      leave_out(r);
      SoftmaxLossBackward(ctx, p + r * d, label + r, flat_dx + r * d, rows, d,
                          scale_ / rows_of_group, smoothing_);
      done = r + rows;
    });
    leave_out(n);
    if (!flat_.in_order()) flat_.ToStored(ctx, flat_dx, dx);
  }

 private:
  std::string name_;
  FlatRows flat_;
  int64_t topk_ = 1, copies_ = 1;
  float scale_ = 1, smoothing_ = 0;
  IgnoredLabel ignored_;
  Metric *loss_ = nullptr, *accuracy_ = nullptr;
  Metric* bits_ = nullptr;  // null: not asked for
};

SINGA_REGISTER_LAYER(kSoftmaxLoss, SoftmaxLossLayer);
SINGA_REGISTER_LAYER(kCudnnSoftmaxLoss, SoftmaxLossLayer);

}  // namespace
}  // namespace singa
