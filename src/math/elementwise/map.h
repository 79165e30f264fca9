// Applies a function to the elements of several arrays, by the threads of a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tensor/kernel/lanes.h"

namespace singa {

// A thread reads or writes 16 bytes at once.
using Four = Lanes<float, 4>;

// y[i] = f(x[0][i], x[1][i], ...); y may be one of the x.
template <typename F, size_t N>
struct Map {
  F f;
  std::array<const float*, N> x;
  float* y;

  SINGA_HD void operator()(int64_t i) const { At(i, std::make_index_sequence<N>()); }

  template <size_t... I>
  SINGA_HD void At(int64_t i, std::index_sequence<I...>) const {
    y[i] = f(x[I][i]...);
  }
};

// Does this for elements [4 q, 4 q + 4) of n. REQUIRES: AlignedTo<4> of all x and y.
template <typename F, size_t N>
struct MapFours {
  Map<F, N> map;
  int64_t n;

  SINGA_HD void operator()(int64_t q) const {
    if (4 * q + 4 <= n)
      Whole(q, std::make_index_sequence<N>());
    else
      for (int64_t i = 4 * q; i < n; ++i) map(i);
  }

  template <size_t... I>
  SINGA_HD void Whole(int64_t q, std::index_sequence<I...>) const {
    const Four in[N] = {reinterpret_cast<const Four*>(map.x[I])[q]...};
    Four out;
    for (int k = 0; k < 4; ++k) out[k] = map.f(in[I][k]...);
    reinterpret_cast<Four*>(map.y)[q] = out;
  }
};

}  // namespace singa
