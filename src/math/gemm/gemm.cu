// A readable kernel, for comparison with the library, and for products that the library declines.
#include "math/gemm/gemm_block.h"
#include "math/gemm/gemm_kernel.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void TiledGemm(Context& ctx, int64_t m, int64_t n, int64_t k, float alpha, GemmOperand a,
               GemmOperand b, float beta, float* c, int64_t ldc) {
  const GemmTile tile = {m, n, k, alpha, beta, a, b, c, ldc, ctx.precision};
  ForEachBlock<GemmTile::kThreads>(ctx, tile.tiles(), tile);
}

[[maybe_unused]] const bool registered = GemmKernel.Set(Device::kCuda, TiledGemm);

}  // namespace
}  // namespace singa
