#include "train/device/mean_pieces.h"

#include <algorithm>
#include <span>

namespace singa {
namespace {

void Take(Context&, const MeanPiece* pieces, int64_t count, float share, float* sums) {
  for (const MeanPiece& piece : std::span(pieces, count))
    for (int64_t j = 0; j < piece.n; ++j) sums[piece.at + j] = share * piece.x[j];
}

void Set(Context&, const MeanPiece* pieces, int64_t count, const StepVerdict* verdict,
         const float* sums) {
  if (verdict->dropped) return;
  for (const MeanPiece& piece : std::span(pieces, count))
    std::copy_n(sums + piece.at, piece.n, piece.x);
}

[[maybe_unused]] const bool registered =
    TakeShares.Set(Device::kCpu, Take) && SetMeans.Set(Device::kCpu, Set);

}  // namespace
}  // namespace singa
