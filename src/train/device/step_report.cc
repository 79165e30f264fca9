#include "train/device/step_report.h"

#include "math/finite.h"
#include "train/device/step_report_elements.h"

namespace singa {
namespace {

void Inspect(Context& ctx, const UpdatePiece* pieces, int64_t count, bool squares,
             PieceFinding* found) {
  for (int64_t i = 0; i < count; ++i) {
    found[i].bad = AllFinite(ctx, pieces[i].g, pieces[i].n) ? 0 : 1;
    if (squares) found[i].squares = SumOfSquares(ctx, pieces[i].g, pieces[i].n);
  }
}

void Losses(Context&, const double* const* cells, int64_t count, float* bad) {
  const InspectLoss inspect = {cells, bad};
  for (int64_t i = 0; i < count; ++i) inspect(i);
}

void Own(Context&, const PieceFinding* found, int64_t count, float clip_norm, int ranks,
         const StepState* state, float* bad, OwnGradient* own) {
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    squares += found[i].squares;
    bad[i] = static_cast<float>(found[i].bad);
  }
  *own = OwnOf(squares, clip_norm, ranks, state->loss_scale);
}

void Judge(Context&, StepEvidence evidence, StepReport* report) {
  if (evidence.ends && report->step >= 0) return;
  int32_t loss = -1, piece = -1;
  for (int64_t i = evidence.loss_count; i-- > 0;)
    if (evidence.bad_losses[i] != 0) loss = static_cast<int32_t>(i);
  double squares = 0;
  for (int64_t i = 0; i < evidence.piece_count; ++i) {
    squares += evidence.pieces[i].squares;
    if (evidence.IsBad(i)) piece = static_cast<int32_t>(i);
  }
  SetScale(evidence, squares, report);
  SetVerdict(evidence, loss, piece, report);
}

void Sum(Context&, const MetricCell* cells, int64_t count, int64_t entries,
         const StepVerdict* verdict, double* sums) {
  const SumEntry sum = {cells, count, verdict, sums};
  for (int64_t i = 0; i < entries; ++i) sum(i);
}

[[maybe_unused]] const bool registered =
    InspectPieces.Set(Device::kCpu, Inspect) && InspectLosses.Set(Device::kCpu, Losses) &&
    JudgeOwn.Set(Device::kCpu, Own) && JudgeStep.Set(Device::kCpu, Judge) &&
    SumMetrics.Set(Device::kCpu, Sum);

}  // namespace
}  // namespace singa
