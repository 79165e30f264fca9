// A StepReport says whether a step that a device computes counts. The host does not wait for it,
// but reads the report of a step while later steps run.
#pragma once

#include <cstdint>

#include "singa/tensor/kernel.h"
#include "singa/train/updater.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// A finding about one piece's gradient.
struct PieceFinding {
  double squares = 0;  // sum of squares, if it was asked for
  double bad = 0;      // 1 if a number is not finite; the workers of a group add theirs up
};

// One rank's own gradient, before it sends the largest floats.
struct OwnGradient {
  float factor = 1;  // bounds its norm
  double norm = 0;   // times the square root of the ranks: an estimate of the sum's norm
};

struct StepReport {
  StepVerdict verdict;
  double norm = 0;    // of all gradients without the losses' scale, if squares were asked for
  int64_t step = -1;  // the last step that was dropped; -1: none
  // The reason: the first loss that is not finite, or the last piece whose gradient is not; -1:
  // none.
  int32_t loss = -1, piece = -1;
};

// The facts that JudgeStep uses. All of them lie where the context computes.
struct StepEvidence {
  const float* bad_losses;  // as InspectLosses writes them, or sums of these
  int64_t loss_count;
  const PieceFinding* pieces;
  int64_t piece_count;
  float clip_norm;  // 0: none
  bool ends;        // after a dropped step all later ones are dropped, too
  const StepState* state;
  const OwnGradient* own = nullptr;  // has the norm to report; null: the pieces have it
  // Findings about the pieces that are not 0 if a number is not finite; null: the pieces have them.
  const float* bad_pieces = nullptr;
  float factor = 1;  // of all gradients

  SINGA_HD bool IsBad(int64_t piece) const {
    return bad_pieces ? bad_pieces[piece] != 0 : pieces[piece].bad > 0;
  }
};

// The cell of a metric, and the entry of MetricSums that it counts for.
struct MetricCell {
  double* cell;
  int32_t entry;
};

// bad[i]: 1 if the sum in a metric's cell i is not finite, else 0.
inline constinit Kernel<void(const double* const* cells, int64_t count, float* bad)> InspectLosses{
    "InspectLosses"};
inline constinit Kernel<void(const UpdatePiece* pieces, int64_t count, bool squares,
                             PieceFinding* found)>
    InspectPieces{"InspectPieces"};
// Judges this rank's own gradient. clip_norm: of the sum over `ranks` ranks; each bounds its own by
// clip_norm / sqrt(ranks). 0: no bound. bad: [count], 1 if a number is not finite.
inline constinit Kernel<void(const PieceFinding* found, int64_t count, float clip_norm, int ranks,
                             const StepState* state, float* bad, OwnGradient*)>
    JudgeOwn{"JudgeOwn"};
inline constinit Kernel<void(StepEvidence, StepReport*)> JudgeStep{"JudgeStep"};
// Adds the cells of a step that counts to sums: [entries, 2], and zeroes them.
inline constinit Kernel<void(const MetricCell* cells, int64_t count, int64_t entries,
                             const StepVerdict*, double* sums)>
    SumMetrics{"SumMetrics"};

}  // namespace singa
