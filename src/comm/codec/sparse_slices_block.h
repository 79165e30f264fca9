// Code that the threads of a device's block run together for comm/codec/sparse_slices.h. Slice i is
// a block's work. The first pass adds the gradient to the state; the others find the slice in the
// cache: three that count magnitudes by their bits, and two that write what is sent, in order.
#pragma once

#include <bit>
#include <limits>

#include "comm/codec/sparse_elements.h"
#include "comm/codec/sparse_slices.h"

namespace singa {

// The `ties` first ones of magnitudes that equal `bits`, and all above, are sent.
struct SparseBound {
  uint32_t bits;
  int64_t ties;
};

struct SparseBlock {
  static constexpr int kMostThreads = 1024;
  static constexpr int kWidth = 11;  // bits of a digit
  struct Running {
    uint32_t of[kMostThreads];
  };
  struct Counts {
    uint32_t of[1 << kWidth];
    uint32_t digit, before;  // the digit that is searched for, and magnitudes above it
  };

  static SINGA_HD uint32_t Magnitude(float x) { return std::bit_cast<uint32_t>(x) & 0x7FFFFFFF; }

  // Returns the sum of `own` over the threads before this one.
  template <typename B>
  static SINGA_DEVICE uint32_t SumBefore(const B& block, uint32_t own) {
    Running& running = block.template Shared<Running>();
    const int t = block.thread();
    block.Sync();  // the numbers may still be read
    running.of[t] = own;
    block.Sync();
    for (int step = 1; step < block.threads(); step *= 2) {
      const uint32_t more = t >= step ? running.of[t - step] : 0;
      block.Sync();
      running.of[t] += more;
      block.Sync();
    }
    return running.of[t] - own;
  }

  // Returns the digit at `shift` of the magnitude that is number *wanted, from 1, of those that
  // begin with the bits above of `prefix`, the largest first. Takes those above it off *wanted.
  template <typename B>
  static SINGA_DEVICE uint32_t FindDigit(const B& block, const float* x, int64_t n, uint32_t prefix,
                                         int shift, uint32_t* wanted) {
    Counts& counts = block.template Shared<Counts>();
    constexpr int kDigits = 1 << kWidth;
    block.Sync();
    for (int d = block.thread(); d < kDigits; d += block.threads()) counts.of[d] = 0;
    block.Sync();
    for (int64_t i = block.thread(); i < n; i += block.threads()) {
      const uint32_t bits = Magnitude(x[i]);
      if (bits >> shift >> kWidth == prefix >> shift >> kWidth)
        block.AddTo(&counts.of[bits >> shift & (kDigits - 1)], 1);
    }
    block.Sync();
    const int each = kDigits / block.threads();  // a thread's digits, from the largest
    const int first = kDigits - 1 - block.thread() * each;
    uint32_t own = 0;
    for (int d = first; d > first - each; --d) own += counts.of[d];
    uint32_t before = SumBefore(block, own);
    if (before < *wanted && *wanted <= before + own) {
      int d = first;
      for (; before + counts.of[d] < *wanted; --d) before += counts.of[d];
      counts.digit = static_cast<uint32_t>(d);
      counts.before = before;
    }
    block.Sync();
    *wanted -= counts.before;
    return counts.digit;
  }

  // Returns the bound of the `most` largest of x[n] with bits of `least` or more.
  template <typename B>
  static SINGA_DEVICE SparseBound BoundOf(const B& block, const float* x, int64_t n, int64_t most,
                                          uint32_t least) {
    double own = 0;
    for (int64_t i = block.thread(); i < n; i += block.threads()) own += Magnitude(x[i]) >= least;
    if (block.Sum(own) <= static_cast<double>(most)) return {least, n};
    auto wanted = static_cast<uint32_t>(most);
    uint32_t bits = 0;
    for (int shift = 2 * kWidth; shift >= 0; shift -= kWidth)
      bits |= FindDigit(block, x, n, bits, shift, &wanted) << shift;
    return {bits, wanted};
  }
};

// Adds the gradient to the state, and returns the floats from which those that are sent are chosen.
template <typename B>
SINGA_DEVICE float* AddGradient(const B& block, const SparseSlice& slice, const SparseRule& rule) {
  const float unscaled = 1 / rule.state->loss_scale, factor = *rule.factor;
  for (int64_t i = block.thread(); i < slice.n; i += block.threads()) {
    float x = Product(slice.floats[i] * unscaled, factor);
    if (!slice.rest) {
      slice.floats[i] = x;
      continue;
    }
    const float rest = slice.rest[i];
    if (slice.u) {
      x = WithMomentum(x, rule.momentum, slice.u[i]);
      slice.u[i] = rule.masks && rest + x == 0 ? 0 : x;
      slice.rest[i] = rest + x;
    } else {
      slice.rest[i] = AddedToRest(x, rest);
    }
  }
  block.Sync();
  return slice.rest ? slice.rest : slice.floats;
}

// Calls send(i, place) for each float i of x[n] within the bound, where `place` counts those before
// it. A thread has a run of the slice. The last thread gets the number of all.
template <typename B, typename Send>
SINGA_DEVICE uint32_t ForEachSent(const B& block, const float* x, int64_t n,
                                  const SparseBound& bound, const Send& send) {
  const int64_t run = (n + block.threads() - 1) / block.threads();
  const int64_t begin = block.thread() * run < n ? block.thread() * run : n;
  const int64_t end = begin + run < n ? begin + run : n;
  uint32_t above = 0, equal = 0;
  for (int64_t i = begin; i < end; ++i) {
    const uint32_t bits = SparseBlock::Magnitude(x[i]);
    above += bits > bound.bits;
    equal += bits == bound.bits;
  }
  const int64_t left = bound.ties - SparseBlock::SumBefore(block, equal);
  const uint32_t ties = left <= 0 ? 0 : left < equal ? static_cast<uint32_t>(left) : equal;
  uint32_t place = SparseBlock::SumBefore(block, above + ties), taken = 0;
  for (int64_t i = begin; i < end; ++i) {
    const uint32_t bits = SparseBlock::Magnitude(x[i]);
    const bool is_tie = bits == bound.bits && taken < ties;
    if (is_tie) ++taken;
    if (is_tie || bits > bound.bits) send(i, place++);
  }
  return place;
}

struct EncodeSparseSlice {
  const SparseSlice* slices;
  SparseRule rule;
  SparsePair* codes;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t s) const {
    const SparseSlice slice = slices[s];
    for (int64_t i = block.thread(); slice.whole && i < slice.n; i += block.threads())
      slice.whole[i] = 0;
    const uint32_t count = rule.bad.Any(block) ? 0 : Send(block, slice);
    if (!slice.whole && block.thread() == block.threads() - 1) codes[slice.code] = {count, 0};
  }

  // Returns the number of floats that are sent, in the last thread.
  template <typename B>
  SINGA_DEVICE uint32_t Send(const B& block, const SparseSlice& slice) const {
    float* const x = AddGradient(block, slice, rule);
    const SparseBound bound = SparseBlock::BoundOf(block, x, slice.n, slice.most, rule.least);
    return ForEachSent(block, x, slice.n, bound, [&](int64_t i, uint32_t place) {
      if (slice.whole)
        slice.whole[i] = x[i];
      else
        codes[slice.code + 1 + place] = {static_cast<uint32_t>(i), x[i]};
      x[i] = 0;
      if (slice.u && rule.masks) slice.u[i] = 0;
    });
  }
};

// Adds up slice i.
struct AddUpSparseSlice {
  const SparseSlice* slices;
  const float* bad;
  SparseCodes codes;
  const StepState* state;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t s) const {
    const SparseSlice slice = slices[s];
    const float first = bad[s] == 0 ? 0 : std::numeric_limits<float>::quiet_NaN();
    for (int64_t i = block.thread(); i < slice.n; i += block.threads())
      slice.floats[i] = slice.whole ? first + slice.whole[i] * state->loss_scale : first;
    for (int rank = 0; !slice.whole && rank < codes.ranks; ++rank) {
      block.Sync();  // a rank has no float twice
      const SparsePair* const code = codes.all + rank * codes.size + slice.code;
      for (uint32_t p = block.thread(); p < code[0].at; p += block.threads())
        slice.floats[code[1 + p].at] += code[1 + p].value * state->loss_scale;
    }
  }
};

}  // namespace singa
