// CUDA kernels of attention in float32. They keep no weights of a softmax, as those of the CPU.
#include "nn/neuron/attention_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

int64_t TilesOf(const AttentionShape& shape) { return shape.pairs() * AttentionTiles(shape.steps); }

void Forward(Context& ctx, const AttentionFeature& f) {
  const int64_t tiles = f.shape.pairs() * AttentionQueryTiles(f);
  ForEachBlock<kAttentionThreads>(ctx, tiles, AttentionForwardTile{f, ctx.device_state});
}

void Backward(Context& ctx, const AttentionGradient& g) {
  float* const delta = static_cast<float*>(g.scratch);
  ForEachWarp(ctx, g.shape.pairs() * g.shape.steps, AttentionDelta{g, delta});
  const AttentionScores scores = {g, delta, ctx.device_state};
  ForEachBlock<kAttentionThreads>(ctx, TilesOf(g.shape), AttentionQueryGradientTile{scores});
  ForEachBlock<kAttentionThreads>(ctx, TilesOf(g.shape), AttentionKeyGradientTile{scores});
}

[[maybe_unused]] const bool registered =
    AttentionForward.Set(Device::kCuda, Forward) && AttentionBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
