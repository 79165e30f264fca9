// kEuclideanLoss has the sources prediction and target, of the same size. Its feature is each row's
// squared distance, and its metric "loss" is their mean. Metric "mae" is the mean absolute error of
// all numbers. If the conf asks for it, metric "r2" is that of nn/loss/r2.h. As in SINGA 0.3 and
// Caffe, the gradient is that of half the mean: (prediction - target) / batch. The target's
// gradient is the opposite.
#include "nn/loss/euclidean_loss.h"

#include <cmath>

#include "base/text/element_path.h"
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "math/reduction/sum.h"
#include "nn/feature/flat_rows.h"
#include "nn/loss/euclidean_loss_elements.h"
#include "nn/loss/r2.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

// Sets sums to those of (x - t)^2 and |x - t|.
SINGA_CPU_CLONES void RowDistance(const float* x, const float* t, int64_t d, double* sums) {
  double squares = 0, absolute = 0;
#pragma omp simd reduction(+ : squares, absolute)
  for (int64_t j = 0; j < d; ++j) {
    const double difference = double{x[j]} - double{t[j]};
    squares += difference * difference;
    absolute += std::abs(difference);
  }
  sums[0] = squares;
  sums[1] = absolute;
}

void Distances(Context& ctx, const float* x, const float* t, float* distance, float* absolute,
               int64_t n, int64_t d) {
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin / d; i < end / d; ++i) {
      double sums[2];
      RowDistance(x + i * d, t + i * d, d, sums);
      distance[i] = static_cast<float>(sums[0]);
      if (absolute) absolute[i] = static_cast<float>(sums[1]);
    }
  });
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

[[maybe_unused]] const bool registered =
    RowDistances.Set(Device::kCpu, Distances) && ScaledDifference.Set(Device::kCpu, Difference);

class EuclideanLossLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
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
    declare.Uses(RowDistances, ScaledDifference, AddSum);
    if (!x_rows_.in_order() || !t_rows_.in_order()) {
      declare.Uses(TransposeEach);
      arrays_ = 3;
    }
    const auto row_bytes = static_cast<int64_t>(x_rows_.rows() * sizeof(float));
    declare.Scratch(arrays_ * in[0]->data.bytes() + row_bytes);
    loss_ = declare.Metric("loss");
    error_ = declare.Metric("mae");
    if (conf.euclidean_loss_conf().r2()) DeclareR2(declare);
    out[0]->data.SetShape({x_rows_.rows()});
  }

  Traits traits() const override {
    return {.grad_reads_in = true, .originates_gradient = true, .on_device = true};
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t n = x_rows_.rows(), d = x_rows_.row_size();
    float* distance = out[0]->data.data();
    const float* x = Rows(ctx, x_rows_, *in[0], 0);
    const float* t = Rows(ctx, t_rows_, *in[1], 1);
    float* const absolute = Place(ctx, arrays_);
    RowDistances(ctx, x, t, distance, absolute, n, d);
    if (phase & kDeploy) return;
    AddSum(ctx, distance, loss_->cell.as<double>(), n, static_cast<double>(n));
    AddSum(ctx, absolute, error_->cell.as<double>(), n, static_cast<double>(n * d));
    if (r2_) AddColumnSums(ctx, x, t, r2_->cell.as<R2Sums>(), n, d);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs) override {
    const float scale = 1 / static_cast<float>(in[0]->span.batch);
    const float* x = Rows(ctx, x_rows_, *in[0], 0);
    const float* t = Rows(ctx, t_rows_, *in[1], 1);
    if (!in[0]->grad.empty()) Gradient(ctx, x, t, scale, x_rows_, &in[0]->grad);
    if (!in[1]->grad.empty()) Gradient(ctx, x, t, -scale, t_rows_, &in[1]->grad);
  }

 private:
  void DeclareR2(Declare& declare) {
    constexpr int64_t kMostColumns = 100;  // each has sums of its own
    const int64_t columns = x_rows_.row_size();
    if (columns > kMostColumns)
      throw ConfigError("euclidean_loss_conf.r2", StrCat("is for at most ", kMostColumns,
                                                         " columns, the rows have ", columns));
    declare.Uses(AddColumnSums);
    r2_ = declare.DerivedMetric("r2", 2 * columns, R2Of);  // four sums a column
  }

  // Returns array i in scratch. The first `arrays_` have a feature's size.
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
  int arrays_ = 0;  // in scratch: rows in logical order
  Metric *loss_ = nullptr, *error_ = nullptr;
  Metric* r2_ = nullptr;  // null: the conf does not ask for it
};
SINGA_REGISTER_LAYER(kEuclideanLoss, EuclideanLossLayer);

}  // namespace
}  // namespace singa
