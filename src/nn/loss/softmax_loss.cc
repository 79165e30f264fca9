// kSoftmaxLoss has the sources logits and labels. Its feature is softmax(logits). Metric "loss" is
// the mean of scale times the cross-entropy, in training with smoothed labels. Metric "accuracy" is
// the share of rows whose label is in the top k. If the conf asks for it, metric "bits" is the loss
// in bits. If it asks for them, metrics accuracy_<class> of a net that tests are the accuracies of
// the classes. Rows whose label is ignore_label count in no metric and give no gradient. The
// gradients of the other rows are still divided by the whole batch, so a sequence's weight is its
// number of steps, however it is padded. With class_weight, loss and gradient are weighted means
// over the rows of the whole group that count (nn/loss/class_weights.h).
#include "nn/loss/softmax_loss.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "math/reduction/softmax.h"
#include "math/reduction/top_k.h"
#include "nn/feature/flat_rows.h"
#include "nn/feature/labels.h"
#include "nn/loss/class_weights.h"
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

void Backward(Context& ctx, const float* p, const int32_t* label, int64_t ignored, float* dx,
              int64_t n, int64_t d, float scale, float smoothing) {
  const float uniform = smoothing / static_cast<float>(d), own = uniform + (1 - smoothing);
  const auto row = [=](int64_t label_of_row, const float* p_row, float* dx_row) {
    if (label_of_row == ignored) {
      std::memset(dx_row, 0, d * sizeof(float));
      return;
    }
    Scale(p_row, dx_row, d, scale, uniform);
    dx_row[label_of_row] = scale * (p_row[label_of_row] - own);
  };
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin / d; i < end / d; ++i) row(label[i], p + i * d, dx + i * d);
  });
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
    of_classes_ =
        AccuracyOfClasses("softmaxloss_conf", conf.softmaxloss_conf(), flat_.row_size(), declare);
    declare.Uses(SoftmaxForward, CountTopK);
    SetClassWeights(conf.softmaxloss_conf(), in[0]->span.steps, &declare);
    flat_.DeclareCopy(&declare);
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

  void Open(Context& ctx) override {
    if (weights_.empty()) return;
    weight_ = Allocate(ctx, {std::ssize(weights_)});
    CopyFromHost(ctx, weights_.data(), weight_.data(), weight_.bytes());
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
    AddEntropy(ctx, p, label, smoothing, scale_, loss_);
    CountTopK(ctx, p, label, ignored_, accuracy_->cell.as<double>(), n, d, topk_);
    if (of_classes_)
      CountTopKOfClasses(ctx, p, label, ignored_, of_classes_->cell.as<double>(), n, d, topk_);
    if (bits_) AddEntropy(ctx, p, label, smoothing, scale_ / std::numbers::ln2, bits_);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    Tensor& label_grad = in[1]->grad;
    if (!label_grad.empty()) ZeroBytes(ctx, label_grad.data(), label_grad.bytes());
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    float* flat_dx = flat_.in_order() ? dx : static_cast<float*>(ctx.scratch);
    Gradient(ctx, out[0]->data.data(), *in[1], static_cast<float>(in[0]->span.batch), flat_dx);
    if (!flat_.in_order()) flat_.ToStored(ctx, flat_dx, dx);
  }

 private:
  void SetClassWeights(const SoftmaxLossProto& conf, int64_t steps, Declare* declare) {
    constexpr char kField[] = "softmaxloss_conf.class_weight";
    weights_.assign(conf.class_weight().begin(), conf.class_weight().end());
    if (weights_.empty()) return declare->Uses(CrossEntropy, SoftmaxLossBackward);
    if (std::ssize(weights_) != flat_.row_size())
      throw ConfigError(
          kField, StrCat("must have one number for each of the ",
                         Counted(flat_.row_size(), "class", "classes"), ", has ", weights_.size()));
    for (size_t j = 0; j < weights_.size(); ++j)
      if (!(weights_[j] >= 0 && std::isfinite(weights_[j])))
        throw ConfigError(ElementPath(kField, static_cast<int>(j)),
                          StrCat("must be >= 0 and finite, is ", weights_[j]));
    sum_of_weights_ = std::accumulate(weights_.begin(), weights_.end(), 0.f);
    if (sum_of_weights_ == 0)
      throw ConfigError("softmaxloss_conf", "class_weight must have a number > 0");
    if (!std::isfinite(sum_of_weights_))
      throw ConfigError(kField, "has a sum that is no finite float: make all weights smaller");
    declare->Keeps(std::ssize(weights_) * static_cast<int64_t>(sizeof(float)));
    declare->Uses(WeightedCrossEntropy, SumLabelWeights, WeightedSoftmaxLossBackward);
    total_ = declare->Buffer({steps}, Keep::kForwardToBackward, DType::kF64);
  }

  // Adds `factor` times the cross-entropy to a metric.
  void AddEntropy(Context& ctx, const float* p, const int32_t* label, float smoothing,
                  double factor, Metric* metric) const {
    const int64_t n = flat_.rows(), d = flat_.row_size();
    double* const cell = metric->cell.as<double>();
    if (weights_.empty())
      CrossEntropy(ctx, p, label, ignored_, cell, n, d, smoothing, factor);
    else
      WeightedCrossEntropy(ctx, p, label, ignored_, Weights(), cell, n, d, smoothing, factor);
  }

  void Gradient(Context& ctx, const float* p, const Port& labels, float rows_of_group, float* dx) {
    const int64_t n = flat_.rows(), d = flat_.row_size();
    const int32_t* label = labels.label.as<int32_t>();
    if (weights_.empty())
      return SoftmaxLossBackward(ctx, p, label, ignored_, dx, n, d, scale_ / rows_of_group,
                                 smoothing_);
    const int64_t steps = total_->size();
    double* const total = total_->as<double>();
    SumLabelWeights(ctx, label, ignored_, Weights(), total, n, steps);
    if (ctx.group) ctx.group->SumInOrder(ctx, total, steps);
    WeightedSoftmaxLossBackward(ctx, p, label, ignored_, Weights(), total, steps, dx, n, d, scale_,
                                smoothing_);
  }

  ClassWeights Weights() const { return {weight_.data(), sum_of_weights_}; }

  std::string name_;
  FlatRows flat_;
  int64_t topk_ = 1;
  float scale_ = 1, smoothing_ = 0;
  int64_t ignored_ = kNoneIgnored;
  std::vector<float> weights_;  // class_weight of the conf; empty: all weights are 1
  float sum_of_weights_ = 0;
  Tensor weight_;            // weights_, where the kernels run
  Tensor* total_ = nullptr;  // [steps]: sum of the weights of the group's labels
  Metric *loss_ = nullptr, *accuracy_ = nullptr;
  Metric* bits_ = nullptr;        // null: the conf does not ask for it
  Metric* of_classes_ = nullptr;  // as bits_, or the net trains
};

SINGA_REGISTER_LAYER(kSoftmaxLoss, SoftmaxLossLayer);
SINGA_REGISTER_LAYER(kCudnnSoftmaxLoss, SoftmaxLossLayer);

}  // namespace
}  // namespace singa
