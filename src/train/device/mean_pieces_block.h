// Code that the threads of a device's block run together for train/device/mean_pieces.h.
#pragma once

#include "tensor/kernel/host_device.h"
#include "train/device/mean_pieces.h"

namespace singa {

// Takes the share of piece i.
struct TakeShare {
  const MeanPiece* pieces;
  float share;
  float* sums;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const MeanPiece piece = pieces[i];
    for (int64_t j = block.thread(); j < piece.n; j += block.threads())
      sums[piece.at + j] = share * piece.x[j];
  }
};

// Sets piece i to its mean.
struct SetMean {
  const MeanPiece* pieces;
  const StepVerdict* verdict;
  const float* sums;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    if (verdict->dropped) return;
    const MeanPiece piece = pieces[i];
    for (int64_t j = block.thread(); j < piece.n; j += block.threads())
      piece.x[j] = sums[piece.at + j];
  }
};

}  // namespace singa
