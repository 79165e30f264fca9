// CUDA kernels for the biases of kInnerProduct. Memory bounds them.
#include "nn/neuron/inner_product.h"

#include "nn/neuron/inner_product_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Add(Context& ctx, const float* b, float* y, int64_t n, int64_t h) {
  if (h % 4 == 0 && AlignedTo<4>(b) && AlignedTo<4>(y))
    ForEach(ctx, n * h / 4, AddBiasFour{b, y, h});
  else
    ForEach(ctx, n * h, AddBiasOne{b, y, h});
}

// Adds up many rows of few columns in parts, so that all multiprocessors are busy.
void Sum(Context& ctx, const float* dy, float beta, float* db, int64_t n, int64_t h) {
  constexpr int64_t kRows = 64;  // minimum number of rows of a part
  const int64_t parts = std::max<int64_t>(1, std::min(n / kRows, kBlocks / ColumnSums::groups(h)));
  auto* partial = parts == 1 ? db : static_cast<float*>(CudaStreamOf(ctx).workspace());
  const ColumnSums sums = {dy, parts == 1 ? beta : 0, partial, n, h, parts};
  ForEachBlock(ctx, sums.blocks(), sums);
  if (parts == 1) return;
  const ColumnSums last = {partial, beta, db, parts, h, 1};
  ForEachBlock(ctx, last.blocks(), last);
}

void Feature(Context& ctx, const float* x, GemmOperand w, const float* b, float* y, int64_t n,
             int64_t h, int64_t v, float*) {
  Gemm(ctx, n, h, v, 1, {x, v}, w, 0, y, h);
  if (b) AddBias(ctx, b, y, n, h);
}

[[maybe_unused]] const bool registered = AddBias.Set(Device::kCuda, Add) &&
                                         SumBiasGradient.Set(Device::kCuda, Sum) &&
                                         InnerProductFeature.Set(Device::kCuda, Feature);

}  // namespace
}  // namespace singa
