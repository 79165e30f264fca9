#include "nn/loss/r2.h"

#include "nn/loss/r2_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void AddR2Columns(Context& ctx, const float* x, const float* t, R2Sums* sums, int64_t n,
                  int64_t d) {
  ForEachBlock(ctx, d, SumColumn{x, t, sums, n, d});
}

[[maybe_unused]] const bool registered = AddColumnSums.Set(Device::kCuda, AddR2Columns);

}  // namespace
}  // namespace singa
