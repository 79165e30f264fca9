#include "nn/loss/sigmoid_cross_entropy.h"

#include "math/reduction/sum_block.cuh"
#include "nn/loss/sigmoid_cross_entropy_elements.h"

namespace singa {
namespace {

void Forward(Context& ctx, const float* x, const float* t, PositiveWeights weights,
             SigmoidCells cells, int64_t n, int64_t d) {
  SumTerms<4>(ctx, n * d, SigmoidTerm{x, t, weights, d},
              AddToSigmoidCells{cells, static_cast<double>(n * d)});
}

void Backward(Context& ctx, const float* y, const float* t, PositiveWeights weights, float* dx,
              int64_t n, int64_t d, float scale) {
  ForEach(ctx, n * d, SigmoidLossGradient{y, t, weights, dx, d, scale});
}

[[maybe_unused]] const bool registered = SigmoidCrossEntropy.Set(Device::kCuda, Forward) &&
                                         SigmoidCrossEntropyBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
