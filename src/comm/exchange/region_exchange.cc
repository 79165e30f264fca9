#include "comm/exchange/region_exchange.h"

#include "math/layout/blocks.h"

namespace singa {

// Runs without a gap between them are one run.
void MoveRegion(Context& ctx, const Region& from, const Region& to, bool add) {
  const bool whole = from.stride == from.run && to.stride == to.run;
  const int64_t count = whole ? 1 : to.count, run = whole ? to.count * to.run : to.run;
  for (int64_t t = 0; t < to.steps; ++t) {
    const float* const x = from.data + t * from.step_stride;
    float* const y = to.data + t * to.step_stride;
    (add ? AddBlocks : CopyBlocks)(ctx, x, from.stride, y, to.stride, count, run);
  }
}

}  // namespace singa
