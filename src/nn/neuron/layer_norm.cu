// CUDA kernels of layer normalisation. Memory bounds them.
#include "nn/neuron/layer_norm_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Forward(Context& ctx, const float* x, const float* scale, const float* shift, float epsilon,
             float* y, LayerNormRows rows, int64_t n, int64_t d) {
  ForEachRow(ctx, n, d, LayerNormRow{x, scale, shift, epsilon, y, rows, d});
}

void Backward(Context& ctx, const float* x, const float* scale, const float* dy, LayerNormRows rows,
              LayerNormGradients to, float* partial, int64_t n, int64_t d) {
  if (to.dx) ForEachRow(ctx, n, d, LayerNormGradientRow{x, scale, dy, rows, to.dx, d});
  if (!to.of_params()) return;
  const LayerNormColumnSums sums = {x, dy, rows, partial, n, d, LayerNormBlockRows(n)};
  ForEachBlock(ctx, sums.blocks(), sums);
  ForEach(ctx, d, LayerNormParamGradient{partial, to, LayerNormBlocks(n), d});
}

[[maybe_unused]] const bool registered =
    LayerNormForward.Set(Device::kCuda, Forward) && LayerNormBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
