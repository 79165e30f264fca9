#include "nn/loss/softmax_loss.h"

#include "math/reduction/sum_block.cuh"
#include "nn/loss/softmax_loss_elements.h"

namespace singa {
namespace {

void Entropy(Context& ctx, const float* p, const int32_t* label, int64_t ignored, double* cell,
             int64_t n, int64_t d, float smoothing, double factor) {
  SumTerms<2>(ctx, EntropyTerm::terms(n, d, smoothing),
              EntropyTerm{p, label, ignored, d, smoothing}, AddToCell{cell, factor});
}

void Backward(Context& ctx, const float* p, const int32_t* label, int64_t ignored, float* dx,
              int64_t n, int64_t d, float scale, float smoothing) {
  const float uniform = smoothing / static_cast<float>(d), own = uniform + (1 - smoothing);
  ForEach(ctx, n * d, SoftmaxLossGradient{p, label, ignored, dx, d, scale, uniform, own});
}

[[maybe_unused]] const bool registered =
    CrossEntropy.Set(Device::kCuda, Entropy) && SoftmaxLossBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
