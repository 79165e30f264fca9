// What a device finds of a step that it computes: whether the step counts, and its metrics. Nobody
// waits for it: the host reads the report of a step while later ones run.
#pragma once

#include <cstdint>

#include "singa/tensor/kernel.h"
#include "singa/train/updater.h"

namespace singa {

// Of one piece's gradient.
struct PieceFinding {
  double squares = 0;  // the sum of them, where it was asked for
  int32_t finite = 1;
};

struct StepReport {
  StepVerdict verdict;
  double norm = 0;    // of all gradients, without the losses' scale, where squares were asked for
  int64_t step = -1;  // the last one that was dropped; -1: none
  // Why: the first loss, or else the last piece whose gradient is not finite; -1: none.
  int32_t loss = -1, piece = -1;
};

// What JudgeStep looks at. All of it lies where the context computes.
struct StepEvidence {
  const float* bad_losses;  // as of InspectLosses, or sums of them
  int64_t loss_count;
  const PieceFinding* pieces;
  int64_t piece_count;
  float clip_norm;  // 0: none
  bool ends;        // after a step that is dropped all others are, too
  const StepState* state;
};

// The cell of a metric, and the entry of MetricSums that it counts for.
struct MetricCell {
  double* cell;
  int32_t entry;
};

// bad[i]: 1 where the sum in a metric's cell i is not finite, else 0.
inline constinit Kernel<void(const double* const* cells, int64_t count, float* bad)> InspectLosses{
    "InspectLosses"};
inline constinit Kernel<void(const UpdatePiece* pieces, int64_t count, bool squares,
                             PieceFinding* found)>
    InspectPieces{"InspectPieces"};
inline constinit Kernel<void(StepEvidence, StepReport*)> JudgeStep{"JudgeStep"};
// Adds the cells of a step that counts to sums: [entries, 2], and zeroes them.
inline constinit Kernel<void(const MetricCell* cells, int64_t count, int64_t entries,
                             const StepVerdict*, double* sums)>
    SumMetrics{"SumMetrics"};

}  // namespace singa
