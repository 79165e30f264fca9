// These kernels replace numbers on the GPUs of a group by their means over it.
#pragma once

#include <cstdint>

#include "singa/tensor/kernel.h"
#include "singa/train/updater.h"

namespace singa {

// Numbers that are replaced, and their place in the sums.
struct MeanPiece {
  float* x;  // [n]
  int64_t n, at;
};

// Sets each piece's place to its numbers times `share`.
inline constinit Kernel<void(const MeanPiece* pieces, int64_t count, float share, float* sums)>
    TakeShares{"TakeShares"};
// Sets the numbers of each piece to those at its place, if the step counts.
inline constinit Kernel<void(const MeanPiece* pieces, int64_t count, const StepVerdict* verdict,
                             const float* sums)>
    SetMeans{"SetMeans"};

}  // namespace singa
