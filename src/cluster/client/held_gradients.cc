#include "cluster/client/held_gradients.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/finite.h"
#include "train/apply/clip_scale.h"

namespace singa {
namespace {

// Returns the sum of squares of the sum over `sums`, in an order that depends on n alone.
double SquaresOf(const Context& ctx, std::span<float* const> sums, int64_t n) {
  if (sums.size() == 1) return SumOfSquares(ctx, sums[0], n);
  constexpr int64_t kBlock = 1024;
  std::array<float, kBlock> all;
  double squares = 0;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = std::min(kBlock, n - begin);
    all.fill(0);
    for (const float* sum : sums)
      for (int64_t i = 0; i < size; ++i) all[i] += sum[begin + i];
    squares += SumOfSquares(ctx, all.data(), size);
  }
  return squares;
}

}  // namespace

HeldGradients::HeldGradients(const SliceTable& table, float clip_norm)
    : clip_norm_(clip_norm), slices_(table.size()) {
  for (int s = 0; s < table.size(); ++s) slices_[s].size = table[s].size;
}

void HeldGradients::Hold(const Context& ctx, int slice, int64_t step,
                         std::span<float* const> sums) {
  Held& held = slices_[slice];
  held.sums.assign(sums.begin(), sums.end());
  if (clip_norm_ > 0) held.squares = SquaresOf(ctx, sums, held.size);
  held.step = step;
}

double HeldGradients::Clip(int64_t step) {
  if (clip_norm_ <= 0) return 0;
  double squares = 0;
  for (const Held& held : slices_)
    if (held.step == step) squares += held.squares;
  const double norm = std::sqrt(squares);
  const float scale = ClipScale(clip_norm_, norm);
  if (scale == 1) return norm;
  for (const Held& held : slices_) {
    if (held.step != step) continue;
    for (float* const sum : held.sums)
      for (int64_t i = 0; i < held.size; ++i) sum[i] *= scale;
  }
  return norm;
}

}  // namespace singa
