#include "nn/output/sample.h"

#include "nn/output/sample_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Draw(Context& ctx, const float* p, const float* u, float power, float* index, int64_t n,
          int64_t d) {
  ForEachBlock(ctx, n, DrawRow{p, u, power, index, d});
}

[[maybe_unused]] const bool registered = DrawIndex.Set(Device::kCuda, Draw);

}  // namespace
}  // namespace singa
