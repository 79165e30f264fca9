// Code that the threads of a device's block run together for comm/codec/half_slices.h. Slice i is a
// block's work. The second pass over a slice finds it in the cache.
#pragma once

#include "comm/codec/fp16_elements.h"
#include "comm/codec/half_slices.h"
#include "math/reduction/tree_elements.h"

namespace singa {

// Returns the larger one of `largest` and the magnitude of x, which is 0 if x is NaN.
SINGA_HD inline float LargerMagnitude(float largest, float x) {
  const float magnitude = x < 0 ? -x : x;
  return largest < magnitude ? magnitude : largest;
}

// Encodes floats[0..n) of which a thread has seen the magnitude `largest`.
template <typename B>
SINGA_DEVICE void WriteHalves(const B& block, const float* floats, int64_t n, float largest,
                              float clip, uint16_t* code) {
  largest = block.Max(largest);
  const int exponent = HalfExponent(largest < clip ? largest : clip);
  const float factor = PowerOfTwo(exponent);
  if (block.thread() == 0) code[0] = static_cast<uint16_t>(exponent);
  for (int64_t i = block.thread(); i < n; i += block.threads())
    code[HalfSlice::kHead + i] = CutHalf(floats[i], clip, factor);
}

// Returns the factor by which a code's numbers become floats.
SINGA_HD inline float FactorOf(const uint16_t* code) {
  return PowerOfTwo(-static_cast<int16_t>(code[0]));
}

struct EncodeHalfSlice {
  const HalfSlice* slices;
  const float* floats;
  float clip;
  const StepState* state;
  uint16_t* codes;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t s) const {
    const HalfSlice slice = slices[s];
    const float* const x = floats + slice.begin;
    float largest = 0;
    for (int64_t i = block.thread(); i < slice.n; i += block.threads())
      largest = LargerMagnitude(largest, x[i]);
    const float scale = state ? state->loss_scale : 1;
    WriteHalves(block, x, slice.n, largest, clip > 0 ? clip * scale : kNoClip, codes + slice.at);
  }
};

struct AddUpHalfSlice {
  const HalfSlice* slices;
  HalfParts parts;
  float* floats;
  uint16_t* codes;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t s) const {
    const HalfSlice slice = slices[s];
    float* const sums = floats + slice.begin;
    const int64_t from = slice.at - parts.first;
    float largest = 0;
    for (int64_t i = block.thread(); i < slice.n; i += block.threads()) {
      const float sum = SumOfTree(parts.ranks, [&](int rank) {
        const uint16_t* const code = parts.of[rank] + from;
        return Float16::ToFloat(code[HalfSlice::kHead + i]) * FactorOf(code);
      });
      sums[i] = sum;
      largest = LargerMagnitude(largest, sum);
    }
    WriteHalves(block, sums, slice.n, largest, kNoClip, codes + slice.at);
  }
};

struct DecodeHalfSlice {
  const HalfSlice* slices;
  const uint16_t* codes;
  float* floats;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t s) const {
    const HalfSlice slice = slices[s];
    const uint16_t* const code = codes + slice.at;
    const float factor = FactorOf(code);
    for (int64_t i = block.thread(); i < slice.n; i += block.threads())
      floats[slice.begin + i] = Float16::ToFloat(code[HalfSlice::kHead + i]) * factor;
  }
};

}  // namespace singa
