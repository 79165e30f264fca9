#include "comm/codec/sparse_slices.h"

#include <algorithm>
#include <cmath>

#include "comm/codec/largest_floats.h"
#include "comm/codec/sparse_elements.h"

namespace singa {
namespace {

// Returns the floats of magnitude `least` and more, but at most the `most` largest.
Positions Choose(std::span<const float> floats, int64_t most, uint32_t least) {
  Positions positions = PositionsFrom(floats, least);
  if (std::ssize(positions) > most) positions = PositionsOfLargest(floats, most);
  return positions;
}

// Returns the floats that are chosen from: the rest, or the gradient without one.
std::span<float> AddGradient(const SparseSlice& slice, const SparseRule& rule) {
  for (int64_t i = 0; i < slice.n; ++i) {
    float x = Product(slice.floats[i] / rule.state->loss_scale, *rule.factor);
    if (!slice.rest) {
      slice.floats[i] = x;
    } else if (!slice.u) {
      slice.rest[i] = AddedToRest(x, slice.rest[i]);
    } else {
      x = WithMomentum(x, rule.momentum, slice.u[i]);
      slice.rest[i] += x;
      slice.u[i] = rule.masks && slice.rest[i] == 0 ? 0 : x;
    }
  }
  return {slice.rest ? slice.rest : slice.floats, static_cast<size_t>(slice.n)};
}

void Encode(Context&, const SparseSlice* slices, int64_t count, SparseRule rule,
            SparsePair* codes) {
  const bool bad = rule.bad.Any();
  for (const SparseSlice& slice : std::span(slices, count)) {
    SparsePair* const code = codes + slice.code;
    if (slice.whole)
      std::fill_n(slice.whole, slice.n, 0.f);
    else
      code[0] = {0, 0};
    if (bad) continue;
    const std::span<float> x = AddGradient(slice, rule);
    for (const uint32_t i : Choose(x, slice.most, rule.least)) {
      if (slice.whole)
        slice.whole[i] = x[i];
      else
        code[++code[0].at] = {i, x[i]};
      x[i] = 0;
      if (slice.u && rule.masks) slice.u[i] = 0;
    }
  }
}

void AddUp(Context&, const SparseSlice* slices, int64_t count, const float* bad, SparseCodes codes,
           const StepState* state) {
  for (int64_t s = 0; s < count; ++s) {
    const SparseSlice& slice = slices[s];
    std::fill_n(slice.floats, slice.n, bad[s] == 0 ? 0 : std::nanf(""));
    for (int64_t i = 0; slice.whole && i < slice.n; ++i)
      slice.floats[i] += slice.whole[i] * state->loss_scale;
    for (int rank = 0; !slice.whole && rank < codes.ranks; ++rank) {
      const SparsePair* const code = codes.all + rank * codes.size + slice.code;
      for (const SparsePair& pair : std::span(code + 1, code[0].at))
        slice.floats[pair.at] += pair.value * state->loss_scale;
    }
  }
}

[[maybe_unused]] const bool registered =
    EncodeSparse.Set(Device::kCpu, Encode) && AddUpSparse.Set(Device::kCpu, AddUp);

}  // namespace
}  // namespace singa
