// Launches math/elementwise/map.h. Memory bounds the speed, so threads use 16 bytes at a time if
// the arrays' addresses allow.
#pragma once

#include "math/elementwise/map.h"
#include "tensor/kernel/launch.cuh"

namespace singa {

template <typename F, typename... X>
void MapElements(Context& ctx, int64_t n, const F& f, float* y, const X*... x) {
  const Map<F, sizeof...(X)> map = {f, {x...}, y};
  if (AlignedTo<4>(y) && (AlignedTo<4>(x) && ...))
    ForEach(ctx, (n + 3) / 4, MapFours<F, sizeof...(X)>{map, n});
  else
    ForEach(ctx, n, map);
}

}  // namespace singa
