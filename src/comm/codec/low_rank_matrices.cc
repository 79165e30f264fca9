#include "comm/codec/low_rank_matrices.h"

#include <algorithm>
#include <limits>
#include <span>

#include "comm/codec/low_rank_elements.h"

namespace singa {
namespace {

std::span<float> Floats(float* from, int64_t n) { return {from, static_cast<size_t>(n)}; }
std::span<const float> Read(const float* from, int64_t n) { return {from, static_cast<size_t>(n)}; }

void Load(Context&, const LowRankPiece* pieces, int64_t count, const StepState* state) {
  const float unscaled = 1 / state->loss_scale;
  for (const LowRankPiece& piece : std::span(pieces, count)) {
    if (piece.whole) {
      std::copy_n(piece.floats, piece.n, piece.whole);
      continue;
    }
    for (int64_t i = 0; i < piece.n; ++i)
      piece.floats[i] = piece.floats[i] * unscaled + (piece.rest ? piece.rest[i] : 0);
  }
}

void Renew(Context&, const LowRankMatrix* matrices, int64_t count, const StepState* state) {
  for (const LowRankMatrix& one : std::span(matrices, count)) {
    std::copy_n(one.basis, one.shape.q_size(), one.renewed);
    Philox random = one.random;
    random.step = static_cast<uint32_t>(state->step * one.all + one.number);
    RenewColumns(one.shape, random, Floats(one.renewed, one.shape.q_size()));
  }
}

void Orthonormal(Context&, const LowRankMatrix* matrices, int64_t count) {
  for (const LowRankMatrix& one : std::span(matrices, count))
    Orthonormalize(one.shape, Floats(one.p, one.shape.p_size()));
}

void Keep(Context&, const LowRankMatrix* matrices, int64_t count, LowRankRule rule,
          float* overflows) {
  const bool bad = rule.bad.Any();
  for (int64_t m = 0; m < count; ++m) {
    const LowRankMatrix& one = matrices[m];
    const bool stays = std::ranges::all_of(Read(one.p, one.shape.p_size()), StaysFinite) &&
                       std::ranges::all_of(Read(one.q, one.shape.q_size()), StaysFinite);
    overflows[m] = stays ? 0 : 1;
    for (int64_t i = 0; !bad && i < one.shape.q_size(); ++i) one.basis[i] = stays ? one.q[i] : 0;
  }
}

void Expand(Context&, const LowRankPiece* pieces, int64_t count, const LowRankMatrix* matrices,
            LowRankRule rule, const float* overflows) {
  const bool bad = rule.bad.Any();
  for (int64_t s = 0; s < count; ++s) {
    const LowRankPiece& piece = pieces[s];
    if (rule.bad_pieces[s] != 0) {
      std::fill_n(piece.floats, piece.n, std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    if (piece.whole) {
      std::copy_n(piece.whole, piece.n, piece.floats);
      continue;
    }
    const LowRankMatrix& one = matrices[piece.matrix];
    for (int64_t i = 0; i < piece.n; ++i) {
      const float sum = ProductAt(one.p, one.q, one.shape.cols, one.shape.rank, piece.begin + i);
      if (piece.rest && !bad)
        piece.rest[i] = overflows[piece.matrix] != 0 ? 0 : piece.floats[i] - rule.share * sum;
      piece.floats[i] = sum * rule.state->loss_scale;
    }
  }
}

[[maybe_unused]] const bool registered =
    LoadLowRank.Set(Device::kCpu, Load) && RenewBases.Set(Device::kCpu, Renew) &&
    OrthonormalizeAll.Set(Device::kCpu, Orthonormal) && KeepBases.Set(Device::kCpu, Keep) &&
    ExpandLowRank.Set(Device::kCpu, Expand);

}  // namespace
}  // namespace singa
