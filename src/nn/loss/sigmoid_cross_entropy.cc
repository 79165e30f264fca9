// kSigmoidCrossEntropyLoss has the sources scores and targets, of the same size. Its feature is
// sigmoid(scores). Metric "loss" is the mean over rows and units. Metric "accuracy" is the share of
// units on the target's side of 0.5. Metric "f1" is 2 tp / (2 tp + fp + fn) of all units together
// (micro average); without any positive it is NaN. Targets get no gradient.
#include "nn/loss/sigmoid_cross_entropy.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "math/elementwise/elementwise.h"
#include "math/parallel_slices.h"
#include "nn/feature/flat_rows.h"
#include "nn/feature/targets.h"
#include "nn/loss/sigmoid_cross_entropy_elements.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

void Forward(Context&, const float* x, const float* t, PositiveWeights weights, SigmoidCells cells,
             int64_t n, int64_t d) {
  Sums<4> sums{};
  const SigmoidTerm term = {x, t, weights, d};
  for (int64_t i = 0; i < n * d; ++i) {
    const Sums<4> more = term(i);
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += more[k];
  }
  AddToSigmoidCells{cells, static_cast<double>(n * d)}(0, sums);
}

void Backward(Context& ctx, const float* y, const float* t, PositiveWeights weights, float* dx,
              int64_t n, int64_t d, float scale) {
  const SigmoidLossGradient gradient = {y, t, weights, dx, d, scale};
  ParallelSlices(ctx, n * d, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) gradient(i);
  });
}

[[maybe_unused]] const bool registered = SigmoidCrossEntropy.Set(Device::kCpu, Forward) &&
                                         SigmoidCrossEntropyBackward.Set(Device::kCpu, Backward);

class SigmoidCrossEntropyLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 2);
    name_ = conf.name();
    x_rows_ = FlatRows(in[0]->data.shape());
    t_rows_ = FlatRows(in[1]->data.shape());
    if (x_rows_.rows() != t_rows_.rows() || x_rows_.row_size() != t_rows_.row_size())
      throw ConfigError(
          ElementPath("srclayers", 1),
          StrCat("scores and targets must have rows of one size; their shapes are ",
                 in[0]->data.shape().ToString(), " and ", in[1]->data.shape().ToString()));
    SetWeights(conf.sigmoid_cross_entropy_conf());
    declare.Keeps(std::ssize(weights_) * static_cast<int64_t>(sizeof(float)));
    declare.Uses(SigmoidCrossEntropy, SigmoidForward, SigmoidCrossEntropyBackward);
    if (!x_rows_.in_order() || !t_rows_.in_order()) {
      declare.Uses(TransposeEach);
      declare.Scratch(2 * in[0]->data.bytes());
    }
    loss_ = declare.Metric("loss");
    accuracy_ = declare.Metric("accuracy");
    f1_ = declare.Metric("f1");
    out[0]->data.SetShape({x_rows_.rows(), x_rows_.row_size()});
  }

  Traits traits() const override {
    return {.grad_reads_in = true,
            .grad_reads_out = true,
            .originates_gradient = true,
            .on_device = true,
            .checks = 1u << 1};
  }

  void Open(Context& ctx) override {
    weight_ = Allocate(ctx, {std::ssize(weights_)});
    CopyFromHost(ctx, weights_.data(), weight_.data(), weight_.bytes());
  }

  void CheckInputs(Phase phase, Inputs in) override {
    if (!(phase & kDeploy)) CheckShares(name_, *in[1]);
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t n = x_rows_.rows(), d = x_rows_.row_size();
    float* const y = out[0]->data.data();
    const float* const x = x_rows_.InOrder(ctx, in[0]->data.data(), y);
    if (!(phase & kDeploy)) {
      const SigmoidCells cells = {loss_->cell.as<double>(), accuracy_->cell.as<double>(),
                                  f1_->cell.as<double>()};
      SigmoidCrossEntropy(ctx, x, Targets(ctx, *in[1]), Weights(), cells, n, d);
    }
    SigmoidForward(ctx, x, y, n * d);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    Tensor& target_grad = in[1]->grad;
    if (!target_grad.empty()) ZeroBytes(ctx, target_grad.data(), target_grad.bytes());
    if (in[0]->grad.empty()) return;
    const int64_t n = x_rows_.rows(), d = x_rows_.row_size();
    float* const dx = in[0]->grad.data();
    float* const flat_dx = x_rows_.in_order() ? dx : Place(ctx, 1);
    const auto units_of_group = static_cast<float>(in[0]->span.batch * d);
    SigmoidCrossEntropyBackward(ctx, out[0]->data.data(), Targets(ctx, *in[1]), Weights(), flat_dx,
                                n, d, 1 / units_of_group);
    if (!x_rows_.in_order()) x_rows_.ToStored(ctx, flat_dx, dx);
  }

 private:
  void SetWeights(const SigmoidCrossEntropyProto& conf) {
    constexpr char kField[] = "sigmoid_cross_entropy_conf.pos_weight";
    const int64_t units = x_rows_.row_size();
    weights_.assign(conf.pos_weight().begin(), conf.pos_weight().end());
    if (weights_.empty()) weights_ = {1};
    if (weights_.size() > 1 && std::ssize(weights_) != units)
      throw ConfigError(kField, StrCat("must be one number, or one for each of the ",
                                       Counted(units, "unit"), "; has ", weights_.size()));
    for (size_t i = 0; i < weights_.size(); ++i)
      if (!(weights_[i] > 0 && std::isfinite(weights_[i])))
        throw ConfigError(ElementPath(kField, static_cast<int>(i)),
                          StrCat("must be > 0 and finite, is ", weights_[i]));
  }

  PositiveWeights Weights() const { return {weight_.data(), weight_.size()}; }

  // Returns array i of two in scratch.
  float* Place(const Context& ctx, int i) const {
    return static_cast<float*>(ctx.scratch) + i * x_rows_.rows() * x_rows_.row_size();
  }

  // Returns the targets in logical order; if they are stored in another order, a copy.
  const float* Targets(Context& ctx, const Port& port) const {
    return t_rows_.InOrder(ctx, port.data.data(), Place(ctx, 0));
  }

  std::string name_;
  FlatRows x_rows_, t_rows_;
  std::vector<float> weights_;  // pos_weight of the conf
  Tensor weight_;               // the same numbers, where the kernels run
  Metric *loss_ = nullptr, *accuracy_ = nullptr, *f1_ = nullptr;
};

SINGA_REGISTER_LAYER(kSigmoidCrossEntropyLoss, SigmoidCrossEntropyLayer);

}  // namespace
}  // namespace singa
