#include "comm/codec/low_rank_matrices.h"

#include "comm/codec/low_rank_matrices_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

constexpr int kPieceThreads = 1024;  // pieces are large, and few are worked on at once

void Load(Context& ctx, const LowRankPiece* pieces, int64_t count, const StepState* state) {
  ForEachBlock<kPieceThreads>(ctx, count, LoadLowRankPiece{pieces, state});
}

void Renew(Context& ctx, const LowRankMatrix* matrices, int64_t count, const StepState* state) {
  ForEachBlock(ctx, count, RenewBasis{matrices, state});
}

void Orthonormal(Context& ctx, const LowRankMatrix* matrices, int64_t count) {
  ForEachBlock<kPieceThreads>(ctx, count, OrthonormalizeOne{matrices});
}

void Keep(Context& ctx, const LowRankMatrix* matrices, int64_t count, LowRankRule rule,
          float* overflows) {
  ForEachBlock<kPieceThreads>(ctx, count, KeepBasis{matrices, rule, overflows});
}

void Expand(Context& ctx, const LowRankPiece* pieces, int64_t count, const LowRankMatrix* matrices,
            LowRankRule rule, const float* overflows) {
  ForEachBlock<kPieceThreads>(ctx, count, ExpandLowRankPiece{pieces, matrices, rule, overflows});
}

[[maybe_unused]] const bool registered =
    LoadLowRank.Set(Device::kCuda, Load) && RenewBases.Set(Device::kCuda, Renew) &&
    OrthonormalizeAll.Set(Device::kCuda, Orthonormal) && KeepBases.Set(Device::kCuda, Keep) &&
    ExpandLowRank.Set(Device::kCuda, Expand);

}  // namespace
}  // namespace singa
