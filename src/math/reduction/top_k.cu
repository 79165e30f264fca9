#include "math/reduction/top_k.h"

#include "math/reduction/sum_block.cuh"
#include "math/reduction/top_k_block.h"

namespace singa {
namespace {

constexpr int64_t kMostParts = 8 * kBlocks;  // warps or blocks that count

void Select(Context& ctx, const float* score, float* index, int64_t n, int64_t d, int64_t k) {
  ForEachRow(ctx, n, d, TopKRow{score, index, d, k});
}

void Count(Context& ctx, const float* score, const int32_t* label, int64_t ignored, double* cell,
           int64_t n, int64_t d, int64_t k) {
  if (n == 0) return;
  const int64_t parts = std::min(n, kMostParts);
  auto* partial = static_cast<Sums<2>*>(CudaStreamOf(ctx).workspace());
  ForEachRow(ctx, parts, d, CountTopKRows{score, label, ignored, n, d, k, parts, partial});
  SumPartial<2>(ctx, parts, AddToCell{cell, 1});
}

void CountOfClasses(Context& ctx, const float* score, const int32_t* label, int64_t ignored,
                    double* cells, int64_t n, int64_t d, int64_t k) {
  ForEachBlock(ctx, d, CountTopKOfClass{score, label, ignored, cells, n, d, k});
}

[[maybe_unused]] const bool registered = TopK.Set(Device::kCuda, Select) &&
                                         CountTopK.Set(Device::kCuda, Count) &&
                                         CountTopKOfClasses.Set(Device::kCuda, CountOfClasses);

}  // namespace
}  // namespace singa
