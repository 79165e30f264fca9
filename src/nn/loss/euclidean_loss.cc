// kEuclideanLoss has the sources prediction and target, of the same size. Its feature is each row's
// squared distance, and its metric "loss" is their mean. Metric "mae" is the mean absolute error of
// all numbers. As in SINGA 0.3 and Caffe, the gradient is that of half the mean: (prediction -
// target) / batch. The target's gradient is the opposite.
#include "nn/loss/euclidean_loss.h"

#include <algorithm>
#include <cmath>

#include "base/text/element_path.h"
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "math/reduction/sum.h"
#include "nn/loss/euclidean_loss_elements.h"
#include "nn/neuron/flat_rows.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

void Distance(Context&, const float* x, const float* t, float* distance, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i, x += d, t += d) {
    double sum = 0;
    for (int64_t j = 0; j < d; ++j) sum += (double{x[j]} - t[j]) * (double{x[j]} - t[j]);
    distance[i] = static_cast<float>(sum);
  }
}

SINGA_CPU_CLONES float AbsoluteBlock(const float* x, const float* t, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += std::abs(x[i] - t[i]);
  return sum;
}

// Adds up blocks in float, and their sums in double.
void Absolute(Context&, const float* x, const float* t, double* cell, int64_t n) {
  constexpr int64_t kBlock = 512;
  for (int64_t i = 0; i < n; i += kBlock)
    cell[0] += AbsoluteBlock(x + i, t + i, std::min(kBlock, n - i));
  cell[1] += static_cast<double>(n);
}

SINGA_CPU_CLONES void DifferenceSlice(const float* x, const float* t, float* dx, int64_t n,
                                      float scale) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = DifferenceOf{scale}(x[i], t[i]);
}

void Difference(Context& ctx, const float* x, const float* t, float* dx, int64_t n, float scale) {
  ParallelSlices(ctx, n, [&](int64_t i, int64_t end) {
    DifferenceSlice(x + i, t + i, dx + i, end - i, scale);
  });
}

[[maybe_unused]] const bool registered = SquaredDistance.Set(Device::kCpu, Distance) &&
                                         SumAbsoluteDifference.Set(Device::kCpu, Absolute) &&
                                         ScaledDifference.Set(Device::kCpu, Difference);

class EuclideanLossLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 2);
    const Shape &x = in[0]->data.shape(), &t = in[1]->data.shape();
    x_rows_ = FlatRows(x);
    t_rows_ = FlatRows(t);
    if (x_rows_.rows() != t_rows_.rows() || x_rows_.row_size() != t_rows_.row_size())
      throw ConfigError(
          ElementPath("srclayers", 1),
          StrCat("prediction and target must have rows of one size; their shapes are ",
                 x.ToString(), " and ", t.ToString()));
    // Two features of one shape are compared in the order in which they are stored.
    if (x == t) x_rows_ = t_rows_ = FlatRows(Shape({x_rows_.rows(), x_rows_.row_size()}));
    declare.Uses(SquaredDistance, SumAbsoluteDifference, ScaledDifference, AddSum);
    if (!x_rows_.in_order() || !t_rows_.in_order()) declare.Uses(TransposeEach);
    if (!x_rows_.in_order() || !t_rows_.in_order()) declare.Scratch(3 * in[0]->data.bytes());
    loss_ = declare.Metric("loss");
    error_ = declare.Metric("mae");
    out[0]->data.SetShape({x_rows_.rows()});
  }

  Traits traits() const override {
    return {.grad_reads_in = true, .originates_gradient = true, .on_device = true};
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t n = x_rows_.rows();
    float* distance = out[0]->data.data();
    const float* x = Rows(ctx, x_rows_, *in[0], 0);
    const float* t = Rows(ctx, t_rows_, *in[1], 1);
    SquaredDistance(ctx, x, t, distance, n, x_rows_.row_size());
    if (phase & kDeploy) return;
    AddSum(ctx, distance, loss_->cell.as<double>(), n, static_cast<double>(n));
    SumAbsoluteDifference(ctx, x, t, error_->cell.as<double>(), n * x_rows_.row_size());
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs) override {
    const float scale = 1 / static_cast<float>(in[0]->span.batch);
    const float* x = Rows(ctx, x_rows_, *in[0], 0);
    const float* t = Rows(ctx, t_rows_, *in[1], 1);
    if (!in[0]->grad.empty()) Gradient(ctx, x, t, scale, x_rows_, &in[0]->grad);
    if (!in[1]->grad.empty()) Gradient(ctx, x, t, -scale, t_rows_, &in[1]->grad);
  }

 private:
  // Returns array i of three in scratch.
  float* Place(const Context& ctx, int i) const {
    return static_cast<float*>(ctx.scratch) + i * x_rows_.rows() * x_rows_.row_size();
  }

  // Returns the feature's rows in logical order; if they are stored in another order, a copy in
  // Place(i).
  const float* Rows(Context& ctx, const FlatRows& rows, const Port& port, int i) const {
    return rows.InOrder(ctx, port.data.data(), Place(ctx, i));
  }

  void Gradient(Context& ctx, const float* x, const float* t, float scale, const FlatRows& rows,
                Tensor* grad) const {
    float* const dx = rows.in_order() ? grad->data() : Place(ctx, 2);
    ScaledDifference(ctx, x, t, dx, grad->size(), scale);
    if (!rows.in_order()) rows.ToStored(ctx, dx, grad->data());
  }

  FlatRows x_rows_, t_rows_;
  Metric *loss_ = nullptr, *error_ = nullptr;
};
SINGA_REGISTER_LAYER(kEuclideanLoss, EuclideanLossLayer);

}  // namespace
}  // namespace singa
