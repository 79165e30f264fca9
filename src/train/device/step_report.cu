#include "tensor/kernel/launch.cuh"
#include "train/device/step_report_block.h"

namespace singa {
namespace {

constexpr int kPieceThreads = 1024;  // pieces are large, and few are read at once

void Inspect(Context& ctx, const UpdatePiece* pieces, int64_t count, bool squares,
             PieceFinding* found) {
  ForEachBlock<kPieceThreads>(ctx, count, InspectPiece{pieces, squares, found});
}

void Losses(Context& ctx, const double* const* cells, int64_t count, float* bad) {
  ForEach(ctx, count, InspectLoss{cells, bad});
}

void Judge(Context& ctx, StepEvidence evidence, StepReport* report) {
  ForEachBlock(ctx, 1, JudgeInBlock{evidence, report});
}

void Own(Context& ctx, const PieceFinding* found, int64_t count, float clip_norm, int ranks,
         const StepState* state, float* bad, OwnGradient* own) {
  ForEachBlock(ctx, 1, JudgeOwnInBlock{found, count, clip_norm, ranks, state, bad, own});
}

void Sum(Context& ctx, const MetricCell* cells, int64_t count, int64_t entries,
         const StepVerdict* verdict, double* sums) {
  ForEach(ctx, entries, SumEntry{cells, count, verdict, sums});
}

[[maybe_unused]] const bool registered =
    InspectPieces.Set(Device::kCuda, Inspect) && InspectLosses.Set(Device::kCuda, Losses) &&
    JudgeOwn.Set(Device::kCuda, Own) && JudgeStep.Set(Device::kCuda, Judge) &&
    SumMetrics.Set(Device::kCuda, Sum);

}  // namespace
}  // namespace singa
