#include "comm/exchange/region_exchange.h"

#include "math/elementwise/elementwise.h"
#include "math/layout/blocks.h"

namespace singa {
namespace {

// Adds runs of floats. Runs without a gap between them are one run.
void AddRuns(Context& ctx, const Region& from, const float* x, const Region& to, float* y) {
  if (from.stride == from.run && to.stride == to.run) return AddTo(ctx, x, y, to.count * to.run);
  for (int64_t i = 0; i < to.count; ++i) AddTo(ctx, x + i * from.stride, y + i * to.stride, to.run);
}

}  // namespace

void MoveRegion(Context& ctx, const Region& from, const Region& to, bool add) {
  for (int64_t t = 0; t < to.steps; ++t) {
    const float* const x = from.data + t * from.step_stride;
    float* const y = to.data + t * to.step_stride;
    if (add)
      AddRuns(ctx, from, x, to, y);
    else if (from.stride == from.run && to.stride == to.run)
      CopyBlocks(ctx, x, 0, y, 0, 1, to.count * to.run);
    else
      CopyBlocks(ctx, x, from.stride, y, to.stride, to.count, to.run);
  }
}

}  // namespace singa
