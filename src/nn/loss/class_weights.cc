#include "nn/loss/class_weights.h"

#include <algorithm>

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

void Backward(Context&, const float* p, const int32_t* label, int64_t ignored, ClassWeights weights,
              const double* total, int64_t steps, float* dx, int64_t n, int64_t d, float scale,
              float smoothing) {
  const WeightedSoftmaxLossGradient gradient = {p,         label, ignored, weights, total,
                                                n / steps, dx,    d,       scale,   smoothing};
  for (int64_t i = 0; i < n * d; ++i) gradient(i);
}

[[maybe_unused]] const bool registered = WeightedCrossEntropy.Set(Device::kCpu, Entropy) &&
                                         SumLabelWeights.Set(Device::kCpu, Total) &&
                                         WeightedSoftmaxLossBackward.Set(Device::kCpu, Backward);

}  // namespace
}  // namespace singa
