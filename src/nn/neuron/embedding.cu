#include "nn/neuron/embedding.h"

#include "nn/neuron/embedding_block.h"
#include "singa/tensor/memory.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

// Memory bounds this kernel.
void Forward(Context& ctx, const float* index, const float* table, float* y, int64_t n, int64_t d) {
  if (d % 4 == 0 && AlignedTo<4>(table) && AlignedTo<4>(y))
    ForEach(ctx, n * d / 4,
            LookUp<Four>{index, reinterpret_cast<const Four*>(table), reinterpret_cast<Four*>(y),
                         d / 4});
  else
    ForEach(ctx, n * d, LookUp<float>{index, table, y, d});
}

// Each block searches the indices, which stay in the cache. These are n^2 / 2 reads, which is cheap
// up to about 10,000 rows.
void Backward(Context& ctx, const float* index, const float* dy, float beta, float* dtable,
              int64_t n, int64_t v, int64_t d) {
  if (beta == 0) ZeroFloats(ctx, dtable, v * d);
  ForEachBlock(ctx, n, EmbeddingGradientRow{index, dy, dtable, n, d});
}

[[maybe_unused]] const bool registered =
    EmbeddingForward.Set(Device::kCuda, Forward) && EmbeddingBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
