// A device's thread converts numbers that lie side by side, for math/elementwise/half.h.
#pragma once

#include "math/elementwise/half.h"
#include "tensor/kernel/lanes.h"

namespace singa {

// y[i] = From::...(x[i]) for the kLanes numbers from kLanes q on. Half: BFloat16, Float16.
template <typename Half>
struct ToHalfLanes {
  static constexpr int kLanes = 4;
  const float* x;
  uint16_t* y;
  int64_t n;

  SINGA_HD void operator()(int64_t q) const {
    const int64_t i = q * kLanes;
    if (i + kLanes <= n && AlignedTo<kLanes>(x) && AlignedTo<kLanes>(y)) {
      const Lanes<float, kLanes> in = LoadLanes<kLanes>(x + i);
      Lanes<uint16_t, kLanes> out;
      for (int k = 0; k < kLanes; ++k) out[k] = Half::From(in[k]);
      StoreLanes(out, y + i);
    } else {
      for (int64_t j = i; j < n && j < i + kLanes; ++j) y[j] = Half::From(x[j]);
    }
  }
};

template <typename Half>
struct FromHalfLanes {
  static constexpr int kLanes = 4;
  const uint16_t* x;
  float* y;
  int64_t n;

  SINGA_HD void operator()(int64_t q) const {
    const int64_t i = q * kLanes;
    if (i + kLanes <= n && AlignedTo<kLanes>(x) && AlignedTo<kLanes>(y)) {
      const Lanes<uint16_t, kLanes> in = LoadLanes<kLanes>(x + i);
      Lanes<float, kLanes> out;
      for (int k = 0; k < kLanes; ++k) out[k] = Half::ToFloat(in[k]);
      StoreLanes(out, y + i);
    } else {
      for (int64_t j = i; j < n && j < i + kLanes; ++j) y[j] = Half::ToFloat(x[j]);
    }
  }
};

}  // namespace singa
