// These kernels are kTopK and kThreshold (sparse_codec.h) for slices of a device's memory: they
// send the same floats, and leave the same bits in the state. A code has room for a number of pairs
// that is known before, so nobody on the host looks at it. A slice may also travel whole, with
// zeros for the floats that are not sent.
#pragma once

#include <cstdint>

#include "comm/codec/rank_findings.h"
#include "singa/tensor/kernel.h"

namespace singa {

// A float that is sent, or the head of a code: the first pair of a slice's code has the number of
// the others as `at`.
struct SparsePair {
  uint32_t at;
  float value;
};

struct SparseSlice {
  float* floats;  // [n], the gradient
  float* rest;    // [n], not sent yet; null: without error_feedback
  float* u;       // [n], the gradient with momentum; null: without momentum
  int64_t n;
  float* whole;  // [n], what is sent, and then its sum over the ranks; null: pairs are sent
  int64_t code;  // place of the code's first pair, if pairs are sent
  int64_t most;  // floats that are sent at most, >= 1
};

// Codes of the same slices by several ranks. all: [ranks, size].
struct SparseCodes {
  const SparsePair* all;
  int ranks;
  int64_t size;
};

struct SparseRule {
  float momentum;  // 0: none
  bool masks;      // u begins again where a float is sent
  uint32_t least;  // bits of the least magnitude that is sent
  // Factor of the gradient, by which each rank bounds its norm.
  const float* factor;
  RankFindings bad;        // if there are any, nothing is sent, and the state stays
  const StepState* state;  // has the scale of the losses, and so of `floats`
};

// Encodes each slice: of the floats with the rest and momentum, those that are largest, and the
// first of equal ones. Changes `floats`. The pairs of slices that travel whole are not written.
inline constinit Kernel<void(const SparseSlice* slices, int64_t count, SparseRule rule,
                             SparsePair* codes)>
    EncodeSparse{"EncodeSparse"};
// Sets `floats` to the sums of what `ranks` ranks send, times the losses' scale. Pairs are added in
// the order of the ranks. bad: [count]; the sum of a slice for which it is not 0 is NaN.
inline constinit Kernel<void(const SparseSlice* slices, int64_t count, const float* bad,
                             SparseCodes codes, const StepState* state)>
    AddUpSparse{"AddUpSparse"};

}  // namespace singa
