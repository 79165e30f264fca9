// Code that one thread of a device, or a plain kernel, runs for train/device/step_report.h.
#pragma once

#include <bit>
#include <cmath>

#include "tensor/kernel/host_device.h"
#include "train/apply/clip_scale.h"
#include "train/device/step_report.h"

namespace singa {

// Sets the norm of all gradients without the losses' scale, and the factor of the update: it takes
// this scale off and bounds the norm.
SINGA_HD inline void SetScale(const StepEvidence& evidence, double squares, StepReport* report) {
  const float loss_scale = evidence.state->loss_scale;
  const double norm = evidence.factor * std::sqrt(squares) / loss_scale;
  report->norm = evidence.own ? evidence.own->norm : norm;
  report->verdict.scale = evidence.factor * ClipScale(evidence.clip_norm, norm) / loss_scale;
}

// Returns the judgement on a rank's own gradient. Its bound is that of HeldGradients
// (cluster/client).
SINGA_HD inline OwnGradient OwnOf(double squares, float clip_norm, int ranks, float loss_scale) {
  const double root = std::sqrt(static_cast<double>(ranks));
  const double norm = std::sqrt(squares) / loss_scale;
  return {ClipScale(static_cast<float>(clip_norm / root), norm), root * norm};
}

SINGA_HD inline void SetVerdict(const StepEvidence& evidence, int32_t loss, int32_t piece,
                                StepReport* report) {
  report->verdict.dropped = loss >= 0 || piece >= 0;
  if (!report->verdict.dropped) return;
  report->step = evidence.state->step;
  report->loss = loss;
  report->piece = piece;
}

// Inspects loss i.
struct InspectLoss {
  const double* const* cells;
  float* bad;

  SINGA_HD void operator()(int64_t i) const {
    constexpr uint64_t kExponent = uint64_t{0x7FF} << 52;
    bad[i] = (std::bit_cast<uint64_t>(cells[i][0]) & kExponent) == kExponent ? 1 : 0;
  }
};

// Sums entry i.
struct SumEntry {
  const MetricCell* cells;
  int64_t count;
  const StepVerdict* verdict;
  double* sums;

  SINGA_HD void operator()(int64_t i) const {
    for (int64_t c = 0; c < count; ++c) {
      if (cells[c].entry != i) continue;
      double* const cell = cells[c].cell;
      if (!verdict->dropped) {
        sums[2 * i] += cell[0];
        sums[2 * i + 1] += cell[1];
      }
      cell[0] = cell[1] = 0;
    }
  }
};

}  // namespace singa
