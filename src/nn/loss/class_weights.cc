#include "nn/loss/class_weights.h"

#include <algorithm>

#include "math/parallel_slices.h"
#include "nn/loss/class_weights_elements.h"

namespace singa {
namespace {

void Entropy(Context&, const float* p, const int32_t* label, int64_t ignored, ClassWeights weights,
             double* cell, int64_t n, int64_t d, float smoothing, double factor) {
  const WeightedEntropyTerm term = {{p, label, ignored, d, smoothing}, weights.of};
  Sums<2> sums{};
  const int64_t terms = EntropyTerm::terms(n, d, smoothing);
  for (int64_t i = 0; i < terms; ++i) {
    const Sums<2> more = term(i);
    sums[0] += more[0];
    sums[1] += more[1];
  }
  AddToCell{cell, factor}(0, sums);
}

void Total(Context&, const int32_t* label, int64_t ignored, ClassWeights weights, double* total,
           int64_t n, int64_t steps) {
  const int64_t rows = n / steps;
  std::fill_n(total, steps, 0.);
  for (int64_t r = 0; r < n; ++r)
    if (label[r] != ignored) total[r / rows] += weights.of[label[r]];
}

void Backward(Context& ctx, const float* p, const int32_t* label, int64_t ignored,
              ClassWeights weights, const double* total, int64_t steps, float* dx, int64_t n,
              int64_t d, float scale, float smoothing) {
  const WeightedSoftmaxLossGradient gradient = {p,         label, ignored, weights, total,
                                                n / steps, dx,    d,       scale,   smoothing};
  ParallelSlices(ctx, n * d, d, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin / d; r < end / d; ++r) {
      const auto row = gradient.RowOf(r);
      for (int64_t j = 0; j < d; ++j) gradient.Set(row, r, j);
    }
  });
}

[[maybe_unused]] const bool registered = WeightedCrossEntropy.Set(Device::kCpu, Entropy) &&
                                         SumLabelWeights.Set(Device::kCpu, Total) &&
                                         WeightedSoftmaxLossBackward.Set(Device::kCpu, Backward);

}  // namespace
}  // namespace singa
