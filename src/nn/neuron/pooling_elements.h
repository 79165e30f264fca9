// Device code of pooling: a thread computes N adjacent channels of a pixel.
#pragma once

#include "nn/neuron/pooling.h"
#include "tensor/kernel/lanes.h"

namespace singa {

// Computes y, and the index of the maximum in its window, counted row by row.
template <int N, typename Place>
struct MaxOfWindow {
  PoolingDesc d;
  const float* x;
  float* y;
  Place* winners;

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition o = PositionOf(d.out, i * N);
    const WindowRange rows = PixelsOfWindow(d.window.y, o.y, d.in.h);
    const WindowRange columns = PixelsOfWindow(d.window.x, o.x, d.in.w);
    const float* from = x + ((o.n * d.in.h + rows.begin) * d.in.w + columns.begin) * d.in.c + o.c;
    const int64_t first = rows.place * d.window.x.kernel + columns.place;
    Lanes<float, N> best = LoadLanes<N>(from);
    Lanes<Place, N> winner;
    for (int k = 0; k < N; ++k) winner[k] = static_cast<Place>(first);
    for (int64_t r = 0; r < rows.end - rows.begin; ++r, from += d.in.w * d.in.c)
      for (int64_t q = 0; q < columns.end - columns.begin; ++q) {
        const Lanes<float, N> value = LoadLanes<N>(from + q * d.in.c);
        const auto here = static_cast<Place>(first + r * d.window.x.kernel + q);
        for (int k = 0; k < N; ++k)
          if (value[k] > best[k]) best[k] = value[k], winner[k] = here;
      }
    StoreLanes(best, y + i * N);
    StoreLanes(winner, winners + i * N);
  }
};

// Computes dx: the sum of dy over the windows whose maximum is the pixel.
template <int N, typename Place>
struct MaxGradient {
  PoolingDesc d;
  const float* dy;
  const Place* winners;
  float* dx;

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition p = PositionOf(d.in, i * N);
    Lanes<float, N> sum = {};
    ForEachWindowOfPixel(d.window, d.out, p, [&](int64_t window, int64_t place) {
      const int64_t at = window * d.out.c + p.c;
      const Lanes<Place, N> winner = LoadLanes<N>(winners + at);
      const Lanes<float, N> value = LoadLanes<N>(dy + at);
      for (int k = 0; k < N; ++k)
        if (winner[k] == static_cast<Place>(place)) sum[k] += value[k];
    });
    StoreLanes(sum, dx + i * N);
  }
};

// Returns `scale` times the sum over a rectangle of `from`'s pixels.
template <int N>
SINGA_HD Lanes<float, N> ScaledSum(const float* from, const ImageShape& shape, int64_t n,
                                   const WindowRange& rows, const WindowRange& columns, int64_t c,
                                   float scale) {
  Lanes<double, N> sums = {};
  Lanes<float, N> sum = {};
  int64_t left = kMeanChain;
  for (int64_t r = rows.begin; r < rows.end; ++r)
    for (int64_t q = columns.begin; q < columns.end; ++q) {
      const Lanes<float, N> value =
          LoadLanes<N>(from + ((n * shape.h + r) * shape.w + q) * shape.c + c);
      for (int k = 0; k < N; ++k) sum[k] += value[k];
      if (--left > 0) continue;
      for (int k = 0; k < N; ++k) sums[k] += sum[k], sum[k] = 0;
      left = kMeanChain;
    }
  for (int k = 0; k < N; ++k) sum[k] = scale * static_cast<float>(sums[k] + sum[k]);
  return sum;
}

// Gives the value of each window its weight, PoolingDesc::WeightOf. `to` may be `from`.
template <int N>
struct WeighedWindow {
  PoolingDesc d;
  const float* from;
  float* to;

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition o = PositionOf(d.out, i * N);
    const float weight = d.WeightOf(o.y, o.x);
    Lanes<float, N> value = LoadLanes<N>(from + i * N);
    for (int k = 0; k < N; ++k) value[k] *= weight;
    StoreLanes(value, to + i * N);
  }
};

template <int N>
struct MeanOfWindow {
  PoolingDesc d;
  const float* x;
  float* y;
  float scale;  // 1 / area

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition o = PositionOf(d.out, i * N);
    StoreLanes(ScaledSum<N>(x, d.in, o.n, PixelsOfWindow(d.window.y, o.y, d.in.h),
                            PixelsOfWindow(d.window.x, o.x, d.in.w), o.c, scale),
               y + i * N);
  }
};

template <int N>
struct MeanGradient {
  PoolingDesc d;
  const float* dy;
  float* dx;
  float scale;

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition p = PositionOf(d.in, i * N);
    StoreLanes(ScaledSum<N>(dy, d.out, p.n, WindowsOfPixel(d.window.y, p.y, d.out.h),
                            WindowsOfPixel(d.window.x, p.x, d.out.w), p.c, scale),
               dx + i * N);
  }
};

}  // namespace singa
