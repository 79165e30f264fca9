// These kernels are the work of kPowerSGD (low_rank.h) on matrices in a device's memory, beside the
// products with M, which are Gemm's. Nobody on the host looks at a number, so a step can be
// captured.
#pragma once

#include <cstdint>

#include "comm/codec/low_rank.h"
#include "comm/codec/rank_findings.h"
#include "singa/tensor/kernel.h"

namespace singa {

struct LowRankMatrix {
  LowRankShape shape;
  float* p;              // P, and then the sum of it over the ranks: [rows, rank]
  float* basis;          // Q of the last step: [cols, rank]
  float* renewed;        // what this step begins with: [cols, rank]
  float* q;              // Q, and then the sum of it over the ranks: [cols, rank]
  Philox random;         // of columns that are renewed, without its step
  uint32_t number, all;  // of the matrix's exchange, and of all exchanges of a step
};

// A piece of a gradient that is a matrix, or of one that is sent as it is.
struct LowRankPiece {
  float* floats;  // [n], the gradient
  float* rest;    // [n], of a matrix: what the last step left out; null: nothing is fed back
  float* whole;   // [n], what is sent, and then its sum; null: the piece is of a matrix
  int64_t n;
  int64_t matrix;  // the number of its matrix, and the element where it begins there
  int64_t begin;
};

struct LowRankRule {
  float share;              // of the ranks: 1 / their number
  RankFindings bad;         // if there are any, the state stays
  const float* bad_pieces;  // those of each piece: its sum is NaN if it is not 0
  const StepState* state;   // has the scale of the losses, and so of `floats`
};

// Adds what the last step left out to the floats of matrices, without the losses' scale. They are
// M. Copies other floats to where they are sent.
inline constinit Kernel<void(const LowRankPiece* pieces, int64_t count, const StepState* state)>
    LoadLowRank{"LoadLowRank"};
// Makes the matrices by which the products begin: those of the last step, with new numbers in
// columns of zeros.
inline constinit Kernel<void(const LowRankMatrix* matrices, int64_t count, const StepState* state)>
    RenewBases{"RenewBases"};
// Makes the columns of each P orthogonal and of length 1. p: as in `matrices`.
inline constinit Kernel<void(const LowRankMatrix* matrices, int64_t count)> OrthonormalizeAll{
    "OrthonormalizeAll"};
// Keeps each sum of Q for the next step. overflows: [count], 1 if numbers of P and Q are so large
// that the next products may not be finite; then the next step begins anew.
inline constinit Kernel<void(const LowRankMatrix* matrices, int64_t count, LowRankRule rule,
                             float* overflows)>
    KeepBases{"KeepBases"};
// Sets the floats to the sums over the ranks, P Q^T or what came, times the losses' scale. Keeps
// what they lack of this rank's gradient.
inline constinit Kernel<void(const LowRankPiece* pieces, int64_t count,
                             const LowRankMatrix* matrices, LowRankRule rule,
                             const float* overflows)>
    ExpandLowRank{"ExpandLowRank"};

}  // namespace singa
