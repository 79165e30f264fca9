#include "nn/loss/class_weights.h"

#include "math/reduction/sum_block.cuh"
#include "nn/loss/class_weights_elements.h"

namespace singa {
namespace {

void Entropy(Context& ctx, const float* p, const int32_t* label, int64_t ignored,
             ClassWeights weights, double* cell, int64_t n, int64_t d, float smoothing,
             double factor) {
  SumTerms<2>(ctx, EntropyTerm::terms(n, d, smoothing),
              WeightedEntropyTerm{{p, label, ignored, d, smoothing}, weights.of},
              AddToCell{cell, factor});
}

void Total(Context& ctx, const int32_t* label, int64_t ignored, ClassWeights weights, double* total,
           int64_t n, int64_t steps) {
  ForEachBlock(ctx, steps, LabelWeightsOfStep{label, ignored, weights.of, total, n / steps});
}

void Backward(Context& ctx, const float* p, const int32_t* label, int64_t ignored,
              ClassWeights weights, const double* total, int64_t steps, float* dx, int64_t n,
              int64_t d, float scale, float smoothing) {
  ForEach(ctx, n * d,
          WeightedSoftmaxLossGradient{p, label, ignored, weights, total, n / steps, dx, d, scale,
                                      smoothing});
}

[[maybe_unused]] const bool registered = WeightedCrossEntropy.Set(Device::kCuda, Entropy) &&
                                         SumLabelWeights.Set(Device::kCuda, Total) &&
                                         WeightedSoftmaxLossBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
