// Makes random numbers by a device's threads: each makes the four numbers of one block of Philox.
// The bits are those of the host if it is compiled without fused products (--fmad=false).
#pragma once

#include <cmath>

#include "base/box_muller.h"
#include "math/elementwise/map.h"
#include "singa/tensor/context.h"

namespace singa {

using FourWords = std::array<uint32_t, 4>;

struct UniformOf {
  float low, range, last;  // `last` keeps rounding from reaching the upper bound
  SINGA_HD Four operator()(const FourWords& words) const {
    Four x;
    for (int k = 0; k < 4; ++k) {
      const float value = low + range * Philox::ToUniform(words[k]);
      x[k] = value > last ? last : value;
    }
    return x;
  }
};

struct GaussianOf {
  float mean, std;
  SINGA_HD Four operator()(const FourWords& words) const {
    Four x;
    for (int k = 0; k < 4; k += 2) {
      const float radius = std::sqrt(MinusTwoLog(words[k]));
      float cosine = 0, sine = 0;
      CosSinOfTurn(words[k + 1], &cosine, &sine);
      x[k] = mean + std * (radius * cosine);
      x[k + 1] = mean + std * (radius * sine);
    }
    return x;
  }
};

struct MaskOf {
  float keep, scale;
  SINGA_HD Four operator()(const FourWords& words) const {
    Four x;
    for (int k = 0; k < 4; ++k) x[k] = Philox::ToUniform(words[k]) < keep ? scale : 0.f;
    return x;
  }
};

// Makes block q of those that hold numbers [first, first + n); x[i] is number first + i.
template <typename Convert>
struct FillBlock {
  Convert convert;
  Philox stream;
  const StepState* state;  // if not null, its step counts instead of the stream's
  uint64_t first;
  int64_t n;
  float* x;
  bool aligned;  // complete blocks lie at addresses aligned for Four

  static SINGA_HD int64_t blocks(uint64_t first, int64_t n) {
    return static_cast<int64_t>((first + n + 3) / 4 - first / 4);
  }

  SINGA_HD void operator()(int64_t q) const {
    const Four four = convert(InStep(stream, state).Block(first / 4 + q));
    const int64_t begin = 4 * q - static_cast<int64_t>(first % 4);
    if (aligned && begin >= 0 && begin + 4 <= n) {
      *reinterpret_cast<Four*>(x + begin) = four;
      return;
    }
    for (int k = 0; k < 4; ++k)
      if (begin + k >= 0 && begin + k < n) x[begin + k] = four[k];
  }
};

}  // namespace singa
