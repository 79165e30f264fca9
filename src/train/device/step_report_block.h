// Code that the threads of a device's block run together for train/device/step_report.h.
#pragma once

#include "math/reduction/sum_elements.h"
#include "tensor/kernel/lanes.h"
#include "train/device/step_report_elements.h"

namespace singa {

// Inspects piece i. Reading the gradient bounds the speed, so it is read 16 bytes at a time.
struct InspectPiece {
  const UpdatePiece* pieces;
  bool squares;
  PieceFinding* found;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const UpdatePiece& piece = pieces[i];
    const LoadFour load = {piece.g, piece.n, AlignedTo<4>(piece.g)};
    const SquaresTerm square = {load};
    bool finite = true;
    double sum = 0;
    for (int64_t q = block.thread(); q < (piece.n + 3) / 4; q += block.threads()) {
      ClearIfBad{load, &finite}(q);
      if (squares) sum += square(q)[0];
    }
    const bool all = block.Max(finite ? 0.f : 1.f) == 0;
    if (squares) sum = block.Sum(sum);
    if (block.thread() == 0) found[i] = {sum, all ? 0. : 1.};
  }
};

// Judges a rank's own gradient, in one block.
struct JudgeOwnInBlock {
  const PieceFinding* found;
  int64_t count;
  float clip_norm;
  int ranks;
  const StepState* state;
  float* bad;
  OwnGradient* own;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t) const {
    double squares = 0;
    for (int64_t i = block.thread(); i < count; i += block.threads()) {
      squares += found[i].squares;
      bad[i] = static_cast<float>(found[i].bad);
    }
    squares = block.Sum(squares);
    if (block.thread() == 0) *own = OwnOf(squares, clip_norm, ranks, state->loss_scale);
  }
};

// Judges a step, in one block.
struct JudgeInBlock {
  StepEvidence evidence;
  StepReport* report;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t) const {
    const bool ended = evidence.ends && report->step >= 0;
    float loss = 0, piece = -1;  // small numbers, exact in float32; the loss counts from the end
    double squares = 0;
    for (int64_t i = block.thread(); i < evidence.loss_count; i += block.threads())
      if (evidence.bad_losses[i] != 0)
        loss = Larger(loss, static_cast<float>(evidence.loss_count - i));
    for (int64_t i = block.thread(); i < evidence.piece_count; i += block.threads()) {
      squares += evidence.pieces[i].squares;
      if (evidence.IsBad(i)) piece = static_cast<float>(i);
    }
    loss = block.Max(loss);
    piece = block.Max(piece);
    squares = block.Sum(squares);
    if (block.thread() > 0 || ended) return;
    SetScale(evidence, squares, report);
    const int64_t first = loss > 0 ? evidence.loss_count - static_cast<int64_t>(loss) : -1;
    SetVerdict(evidence, static_cast<int32_t>(first), static_cast<int32_t>(piece), report);
  }

 private:
  static SINGA_HD float Larger(float a, float b) { return a > b ? a : b; }
};

}  // namespace singa
