// kBM normalises each channel over all pixels of the batch. It uses the batch's mean m and variance
// v in training, else the running ones:
//   y = gamma (x - m) / sqrt(v + epsilon) + beta
// Params: gamma, beta, running mean, running variance. Training moves the last two towards the
// batch's mean and unbiased variance by 1 - momentum; updater and weight decay do not change them.
// Equals torch.nn.BatchNorm2d; for a matrix, BatchNorm1d. The batch is that of the worker group:
// its workers add up their sums, so all have the same statistics.
#include "nn/neuron/batch_norm.h"

#include <cmath>
#include <limits>

#include "math/scratch_layout.h"
#include "nn/feature/window.h"
#include "nn/neuron/activation.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

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
    settings_ = Settings(conf.bm_conf());
    gamma_ = declare.Param(0, channels, 1);
    beta_ = declare.Param(1, channels, 0);
    mean_ = declare.Param(2, channels, 0);
    variance_ = declare.Param(3, channels, 1);
    mean_->Freeze();
    variance_->Freeze();
    variance_->SetInverseEpsilon(1e-5f);  // SINGA 0.3's
    declare.Uses(BatchMoments, BatchStatistics, BatchRunningFunction, BatchApply);
    declare.Uses(BatchOwnMean, BatchAboutGroupMean);
    declare.Uses(BatchGradientSums, BatchParamGradients, BatchGradientFactors, BatchGradient);
    state_ = declare.Buffer({4, c_}, Keep::kForwardToBackward);
    group_rows_ = declare.Buffer({1}, Keep::kForwardToBackward, DType::kF64);
    out[0]->data.SetShape(x);
  }

  Traits traits() const override {
    return {.grad_reads_in = true, .on_device = true, .subtracts_mean = true};
  }

  bool Fuse(const LayerProto& reader) override {
    if (!CutsNegatives(reader)) return false;
    floor_ = 0;
    return true;
  }

  void Prepare(Context&, Declare& declare, Inputs, Outputs) override {
    ScratchLayout scratch;
    sums_ = scratch.Add((3 * c_ + 1) * static_cast<int64_t>(sizeof(double)));
    factors_ = scratch.Add(3 * c_ * static_cast<int64_t>(sizeof(float)));
    partial_ = scratch.Add(BatchPartialSize(rows_, c_) * static_cast<int64_t>(sizeof(float)));
    declare.Scratch(scratch.bytes());
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const float* x = in[0]->data.data();
    if (phase & kTrain) {
      MeasureBatch(ctx, x);
      BatchApply(ctx, x, TrainFunction(), out[0]->data.data(), rows_, c_);
      return;
    }
    float *const scale = At<float>(ctx, factors_), *const shift = scale + c_;
    BatchRunningFunction(ctx, mean_->data.data(), variance_->data.data(), settings_.epsilon,
                         gamma_->data.data(), beta_->data.data(), scale, shift, c_);
    BatchApply(ctx, x, {scale, shift, floor_}, out[0]->data.data(), rows_, c_);
  }

  // With g = dy, h = (x - m) / s, s = sqrt(v + epsilon), n rows:
  //   dgamma = sum g h, dbeta = sum g, dx = gamma / s (g - dbeta / n - h dgamma / n)
  // dgamma and dbeta are this worker's share, like every param's gradient. dx uses the group's
  // sums.
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float *x = in[0]->data.data(), *dy = out[0]->grad.data();
    double *sum = At<double>(ctx, sums_), *product = sum + c_;
    const BatchState state = State();
    BatchGradientSums(ctx, x, TrainFunction(), dy, state.mean, sum, product,
                      At<float>(ctx, partial_), rows_, c_);
    BatchParamGradients(ctx, sum, product, state.inverse, GradientOf(gamma_), gamma_->beta(),
                        GradientOf(beta_), beta_->beta(), c_);
    if (in[0]->grad.empty()) return;
    if (ctx.group) ctx.group->SumInOrder(ctx, sum, 2 * c_);
    float *of_g = At<float>(ctx, factors_), *of_x = of_g + c_, *shift = of_x + c_;
    BatchGradientFactors(ctx, sum, product, Rows(ctx), gamma_->data.data(), state, of_g, of_x,
                         shift, c_);
    BatchGradient(ctx, x, TrainFunction(), dy, of_g, of_x, shift, in[0]->grad.data(), rows_, c_);
  }

 private:
  static void CheckParams(const LayerProto& conf) {
    if (conf.param_size() == 0 || conf.param_size() == 4) return;
    throw ConfigError("param",
                      StrCat("needs 4 params (gamma, beta, running mean, running variance) "
                             "or none, has ",
                             conf.param_size()));
  }

  static BatchSettings Settings(const BMProto& conf) {
    const float momentum = conf.momentum(), epsilon = conf.epsilon();
    if (!(momentum >= 0 && momentum < 1))
      throw ConfigError("bm_conf.momentum", StrCat("must be in [0, 1), is ", momentum));
    if (!(epsilon > 0) || std::isinf(epsilon))
      throw ConfigError("bm_conf.epsilon", StrCat("must be > 0 and finite, is ", epsilon));
    return {momentum, epsilon};
  }

  static float* GradientOf(Param* param) {
    return param->grad.empty() ? nullptr : param->grad.data();
  }

  // Computes the batch's state and updates the running statistics.
  void MeasureBatch(Context& ctx, const float* x) {
    double *sum = At<double>(ctx, sums_), *squares = sum + c_ + 1;
    BatchMoments(ctx, x, sum, squares, At<float>(ctx, partial_), rows_, c_);
    if (ctx.group) JoinMoments(ctx, sum, squares);
    BatchStatistics(ctx, sum, squares, Rows(ctx), settings_, gamma_->data.data(),
                    beta_->data.data(), State(), mean_->data.data(), variance_->data.data(), c_);
  }

  // Turns the moments of this worker's rows into those of the group's rows, whose mean is m:
  //   squares = sum over workers i of squares_i + n_i (m_i - m)^2
  // sum: [c + 1], the last for the number of rows; squares: [2 c], the last c for this worker's
  // means.
  void JoinMoments(Context& ctx, double* sum, double* squares) {
    double* const own_mean = squares + c_;
    BatchOwnMean(ctx, sum, own_mean, rows_, c_);
    ctx.group->SumInOrder(ctx, sum, c_ + 1);
    CopyBytes(ctx, sum + c_, group_rows_->as<void>(), group_rows_->bytes());
    BatchAboutGroupMean(ctx, sum, own_mean, squares, rows_, c_);
    ctx.group->SumInOrder(ctx, squares, c_);
  }

  // Returns the number of rows of the batch that was measured last.
  BatchRows Rows(const Context& ctx) const {
    return {static_cast<double>(rows_), ctx.group ? group_rows_->as<double>() : nullptr};
  }

  BatchState State() {
    float* const state = state_->data();
    return {state, state + c_, state + 2 * c_, state + 3 * c_};
  }
  BatchFunction TrainFunction() {
    const BatchState state = State();
    return {state.scale, state.shift, floor_};
  }

  template <typename T>
  static T* At(const Context& ctx, int64_t offset) {
    return reinterpret_cast<T*>(static_cast<char*>(ctx.scratch) + offset);
  }

  int64_t rows_ = 0, c_ = 0;
  BatchSettings settings_ = {};
  float floor_ = -std::numeric_limits<float>::infinity();  // 0: with the kReLU's work
  Param *gamma_ = nullptr, *beta_ = nullptr, *mean_ = nullptr, *variance_ = nullptr;
  Tensor* state_ = nullptr;                       // [4, c]: BatchState
  Tensor* group_rows_ = nullptr;                  // [1]: rows of all workers of the group
  int64_t sums_ = 0, factors_ = 0, partial_ = 0;  // offsets in scratch
};

SINGA_REGISTER_LAYER(kBM, BatchNormLayer);
SINGA_REGISTER_LAYER(kCudnnBM, BatchNormLayer);

}  // namespace
}  // namespace singa
