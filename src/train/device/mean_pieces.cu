#include "tensor/kernel/launch.cuh"
#include "train/device/mean_pieces_block.h"

namespace singa {
namespace {

constexpr int kPieceThreads = 1024;  // pieces are large, and few are worked on at once

void Take(Context& ctx, const MeanPiece* pieces, int64_t count, float share, float* sums) {
  ForEachBlock<kPieceThreads>(ctx, count, TakeShare{pieces, share, sums});
}

void Set(Context& ctx, const MeanPiece* pieces, int64_t count, const StepVerdict* verdict,
         const float* sums) {
  ForEachBlock<kPieceThreads>(ctx, count, SetMean{pieces, verdict, sums});
}

[[maybe_unused]] const bool registered =
    TakeShares.Set(Device::kCuda, Take) && SetMeans.Set(Device::kCuda, Set);

}  // namespace
}  // namespace singa
