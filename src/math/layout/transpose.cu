// Memory bounds the speed of a transposition.
#include "math/layout/transpose.h"

#include "math/layout/transpose_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

constexpr int64_t kNarrow = 8;

void Transpose(Context& ctx, const float* x, float* y, int64_t n, int64_t rows, int64_t cols) {
  const TransposeTile tile = {x, y, rows, cols};
  if (std::min(rows, cols) <= kNarrow)
    ForEach(ctx, n * rows * cols, TransposeOne{x, y, rows, cols});
  else
    ForEachBlock(ctx, n * tile.tiles(), tile);
}

[[maybe_unused]] const bool registered = TransposeEach.Set(Device::kCuda, Transpose);

}  // namespace
}  // namespace singa
