// CUDA kernels of position embedding. Memory bounds them.
#include "nn/neuron/position_embedding_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Forward(Context& ctx, const float* x, const float* table, float* y, int64_t steps,
             int64_t rows, int64_t d) {
  const int64_t n = steps * rows * d;
  if (d % 4 == 0 && AlignedTo<4>(x, table, y))
    ForEach(ctx, n / 4, AddPosition<4>{x, table, y, rows, d});
  else
    ForEach(ctx, n, AddPosition<1>{x, table, y, rows, d});
}

void Backward(Context& ctx, const float* dy, float beta, float* dtable, int64_t steps, int64_t rows,
              int64_t d) {
  ForEach(ctx, steps * d, PositionGradient{dy, beta, dtable, rows, d});
}

[[maybe_unused]] const bool registered = PositionEmbeddingForward.Set(Device::kCuda, Forward) &&
                                         PositionEmbeddingBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
