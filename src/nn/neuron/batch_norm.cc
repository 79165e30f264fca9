// kBM: batch normalisation of each channel, over all pixels of the batch: with the batch's mean m
// and variance v in training, else with the running ones,
//   y = gamma (x - m) / sqrt(v + epsilon) + beta
// Params: gamma, beta, running mean, running variance. Training moves the last two towards the
// batch's mean and unbiased variance by 1 - momentum; no updater and no weight decay touches them.
// Equals torch.nn.BatchNorm2d; of a matrix, BatchNorm1d. The batch is that of the worker group: its
// workers add up their sums, so all of them have the same statistics, and the running ones.
#include "nn/neuron/batch_norm.h"

#include <cmath>
#include <limits>

#include "math/scratch_layout.h"
#include "nn/neuron/window.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

constexpr double kMomentum = 0.9, kEpsilon = kBatchNormEpsilon;

class BatchNormLayer final : public Layer {
 public:
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const Shape& x = in[0]->data.shape();
    Shape channels;
    if (x.dims() == 2) {
      rows_ = x[0], c_ = x[1];
      channels = {1, c_};
    } else {
      const ImageShape image = ImageShape::Of(x);
      rows_ = image.n * image.pixels(), c_ = image.c;
      channels = {1, c_, 1, 1};
    }
    CheckParams(conf);
    gamma_ = declare.Param(0, channels, 1);
    beta_ = declare.Param(1, channels, 0);
    mean_ = declare.Param(2, channels, 0);
    variance_ = declare.Param(3, channels, 1);
    mean_->Freeze();
    variance_->Freeze();
    variance_->SetInverseEpsilon(static_cast<float>(kEpsilon));
    declare.Uses(BatchMoments, BatchApply, BatchGradientSums, BatchGradient);
    batch_ = declare.Buffer({2, c_}, Keep::kForwardToBackward);
    out[0]->data.SetShape(x);
  }

  Traits traits() const override { return {.grad_reads_in = true}; }

  bool Fuse(const LayerProto& reader) override {
    if (reader.type() != kReLU || reader.relu_conf().negative_slope() != 0) return false;
    floor_ = 0;
    return true;
  }

  void Prepare(Context&, Declare& declare, Inputs, Outputs) override {
    ScratchLayout scratch;
    sums_ = scratch.Add((3 * c_ + 1) * static_cast<int64_t>(sizeof(double)));
    factors_ = scratch.Add(5 * c_ * static_cast<int64_t>(sizeof(float)));
    partial_ = scratch.Add(BatchPartialSize(rows_, c_) * static_cast<int64_t>(sizeof(float)));
    declare.Scratch(scratch.bytes());
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const float* x = in[0]->data.data();
    if (phase & kTrain) {
      MeasureBatch(ctx, x);
      BatchApply(ctx, x, TrainFunction(ctx), out[0]->data.data(), rows_, c_);
      return;
    }
    float* const scale = At<float>(ctx, factors_);
    for (int64_t j = 0; j < c_; ++j)
      SetFunction(j, mean_->data.data()[j], 1 / std::sqrt(variance_->data.data()[j] + kEpsilon),
                  scale);
    BatchApply(ctx, x, {scale, scale + c_, floor_}, out[0]->data.data(), rows_, c_);
  }

  // With g = dy, h = (x - m) / s, s = sqrt(v + epsilon), n rows:
  //   dgamma = sum g h, dbeta = sum g, dx = gamma / s (g - dbeta / n - h dgamma / n)
  // dgamma and dbeta are this worker's share, as every param's gradient; dx is made of the group's.
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float *x = in[0]->data.data(), *dy = out[0]->grad.data();
    double *sum = At<double>(ctx, sums_), *product = sum + c_;
    const BatchFunction f = TrainFunction(ctx);
    BatchGradientSums(ctx, x, f, dy, batch_mean(), sum, product, At<float>(ctx, partial_), rows_,
                      c_);
    for (int64_t j = 0; j < c_; ++j) {
      AddGradient(gamma_, j, product[j] * double{batch_inverse()[j]});
      AddGradient(beta_, j, sum[j]);
    }
    if (in[0]->grad.empty()) return;
    if (ctx.group) ctx.group->Sum({sum, static_cast<size_t>(2 * c_)});
    float *of_g = At<float>(ctx, factors_) + 2 * c_, *of_x = of_g + c_, *shift = of_x + c_;
    for (int64_t j = 0; j < c_; ++j) {
      const double inverse = batch_inverse()[j], factor = gamma_->data.data()[j] * inverse;
      const double slope = factor * inverse * inverse * product[j] / group_rows_;
      of_g[j] = static_cast<float>(factor);
      of_x[j] = static_cast<float>(-slope);
      shift[j] = static_cast<float>(slope * batch_mean()[j] - factor * sum[j] / group_rows_);
    }
    BatchGradient(ctx, x, f, dy, of_g, of_x, shift, in[0]->grad.data(), rows_, c_);
  }

 private:
  static void CheckParams(const LayerProto& conf) {
    if (conf.param_size() == 0 || conf.param_size() == 4) return;
    throw ConfigError("param",
                      StrCat("needs 4 params (gamma, beta, running mean, running variance) "
                             "or none, has ",
                             conf.param_size()));
  }

  static void AddGradient(Param* param, int64_t j, double value) {
    if (param->grad.empty()) return;
    float& gradient = param->grad.data()[j];
    gradient = static_cast<float>(param->beta() == 0 ? value : gradient + value);
  }

  // The batch's mean and 1 / sqrt(variance + epsilon), and the running statistics after it.
  void MeasureBatch(Context& ctx, const float* x) {
    double *sum = At<double>(ctx, sums_), *squares = sum + c_ + 1;
    BatchMoments(ctx, x, sum, squares, At<float>(ctx, partial_), rows_, c_);
    group_rows_ = static_cast<double>(rows_);
    if (ctx.group) JoinMoments(ctx.group, sum, squares);
    const double n = group_rows_;
    for (int64_t j = 0; j < c_; ++j) {
      batch_mean()[j] = static_cast<float>(sum[j] / n);
      batch_inverse()[j] = static_cast<float>(1 / std::sqrt(squares[j] / n + kEpsilon));
      if (!std::isfinite(squares[j])) continue;  // NaN would stay for ever
      Move(&mean_->data.data()[j], batch_mean()[j]);
      Move(&variance_->data.data()[j], squares[j] / std::max(n - 1, 1.));
    }
  }

  // From the moments of this worker's rows to those of the group's, whose mean is m:
  //   squares = sum over workers i of squares_i + n_i (m_i - m)^2
  // sum: [c], and room for the rows; squares: [c], and room for the own means.
  void JoinMoments(GroupSum* group, double* sum, double* squares) {
    const auto own_rows = static_cast<double>(rows_);
    double* const own_mean = squares + c_;
    for (int64_t j = 0; j < c_; ++j) own_mean[j] = sum[j] / own_rows;
    sum[c_] = own_rows;
    group->Sum({sum, static_cast<size_t>(c_ + 1)});
    group_rows_ = sum[c_];
    for (int64_t j = 0; j < c_; ++j) {
      const double from_mean = own_mean[j] - sum[j] / group_rows_;
      squares[j] += own_rows * from_mean * from_mean;
    }
    group->Sum({squares, static_cast<size_t>(c_)});
  }

  // scale: [2, c], scale and shift.
  void SetFunction(int64_t j, double mean, double inverse, float* scale) const {
    const double factor = gamma_->data.data()[j] * inverse;
    scale[j] = static_cast<float>(factor);
    scale[c_ + j] = static_cast<float>(beta_->data.data()[j] - mean * factor);
  }

  // What the batch's statistics make; in scratch. The same in both passes.
  BatchFunction TrainFunction(const Context& ctx) {
    float* const scale = At<float>(ctx, factors_);
    for (int64_t j = 0; j < c_; ++j) SetFunction(j, batch_mean()[j], batch_inverse()[j], scale);
    return {scale, scale + c_, floor_};
  }

  static void Move(float* running, double value) {
    *running = static_cast<float>(kMomentum * *running + (1 - kMomentum) * value);
  }

  template <typename T>
  static T* At(const Context& ctx, int64_t offset) {
    return reinterpret_cast<T*>(static_cast<char*>(ctx.scratch) + offset);
  }
  float* batch_mean() { return batch_->data(); }
  float* batch_inverse() { return batch_->data() + c_; }

  int64_t rows_ = 0, c_ = 0;
  double group_rows_ = 0;                                  // of all workers, in this step
  float floor_ = -std::numeric_limits<float>::infinity();  // 0: with the kReLU that reads this
  Param *gamma_ = nullptr, *beta_ = nullptr, *mean_ = nullptr, *variance_ = nullptr;
  Tensor* batch_ = nullptr;                       // [2, c]: mean, 1 / sqrt(variance + epsilon)
  int64_t sums_ = 0, factors_ = 0, partial_ = 0;  // offsets in scratch
};

SINGA_REGISTER_LAYER(kBM, BatchNormLayer);
SINGA_REGISTER_LAYER(kCudnnBM, BatchNormLayer);

}  // namespace
}  // namespace singa
