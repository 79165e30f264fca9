// kEltwise joins sources of one shape, number by number: their weighted sum, product or largest
// number. These kernels take two sources at a time; products use Multiply of math/elementwise. The
// second factor of an image may have one number for each channel.
#pragma once

#include <cstdint>

#include "singa/tensor/kernel.h"

namespace singa {

// y = max(floor, a_factor a + b_factor b); NaN stays NaN. a, b, y: [n]; y may be a.
inline constinit Kernel<void(const float* a, float a_factor, const float* b, float b_factor,
                             float floor, float* y, int64_t n)>
    WeightedSum{"WeightedSum"};

// Gradient of one source of a weighted sum.
struct SummandGradient {
  float factor = 0;
  float* dx = nullptr;  // [n]
};
// a.dx = a.factor g and b.dx = b.factor g with g = dy. If y is not null, g is 0 where y <= 0.
// y, dy: [n]; b.dx may be null; a.dx or b.dx may be dy.
inline constinit Kernel<void(const float* y, const float* dy, SummandGradient a, SummandGradient b,
                             int64_t n)>
    WeightedSumGradient{"WeightedSumGradient"};

// Compares source `index`, b, with the largest of the sources before it, a. y = b where b > a or b
// is NaN, else a; the first of equal numbers wins. `winner` has the index of the winner so far;
// source 1 is the first that is compared. a, b, y: [n]; winner: u8 [n]; y may be a.
inline constinit Kernel<void(const float* a, const float* b, uint8_t index, float* y,
                             uint8_t* winner, int64_t n)>
    LargerOf{"LargerOf"};
// dx = dy where winner is `index`, else 0. dy, dx: [n]; winner: u8 [n]; dx may be dy.
inline constinit Kernel<void(const uint8_t* winner, uint8_t index, const float* dy, float* dx,
                             int64_t n)>
    LargerOfGradient{"LargerOfGradient"};

// y = x times the number of its channel. x, y: [n, pixels, c]; scale: [n, c]; y may be x.
inline constinit Kernel<void(const float* x, const float* scale, float* y, int64_t n,
                             int64_t pixels, int64_t c)>
    ScaleChannels{"ScaleChannels"};
// dscale = sum over the pixels of x dy. x, dy: [n, pixels, c]; dscale: [n, c].
inline constinit Kernel<void(const float* x, const float* dy, float* dscale, int64_t n,
                             int64_t pixels, int64_t c)>
    ScaleChannelsGradient{"ScaleChannelsGradient"};

}  // namespace singa
