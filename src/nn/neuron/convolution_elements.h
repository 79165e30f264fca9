// Device code, for one thread, of a convolution as a product of matrices. The matrix of some images
// has a row per output pixel and a column per weight of a filter in the order (row, column,
// channel). A thread handles N channels.
#pragma once

#include "nn/neuron/convolution.h"
#include "tensor/kernel/lanes.h"

namespace singa {

// Writes the matrix of images x: [n, h, w, c].
template <int N>
struct ColumnsOfImages {
  ConvolutionDesc d;
  const float* x;
  float* matrix;

  SINGA_HD void operator()(int64_t i) const {
    // Treats a row of the matrix as an image of the window's pixels.
    const ImageShape windows = {d.out.n * d.out.pixels(), d.in.c, d.window.y.kernel,
                                d.window.x.kernel};
    const ImagePosition p = PositionOf(windows, i * N);
    const ImagePosition o = PositionOf({d.out.n, 1, d.out.h, d.out.w}, p.n);
    const int64_t row = o.y * d.window.y.stride - d.window.y.pad + p.y;
    const int64_t column = o.x * d.window.x.stride - d.window.x.pad + p.x;
    Lanes<float, N> values = {};
    if (row >= 0 && row < d.in.h && column >= 0 && column < d.in.w)
      values = LoadLanes<N>(x + ((o.n * d.in.h + row) * d.in.w + column) * d.in.c + p.c);
    StoreLanes(values, matrix + i * N);
  }
};

// Computes the images' gradient from the matrix's gradient: the sum over all windows that hold the
// pixel.
template <int N>
struct ImagesOfColumns {
  ConvolutionDesc d;
  const float* matrix;
  float* dx;

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition p = PositionOf(d.in, i * N);
    Lanes<float, N> sum = {};
    ForEachWindowOfPixel(d.window, d.out, p, [&](int64_t k, int64_t place) {
      const int64_t at = (k * d.window.area() + place) * d.in.c + p.c;
      const Lanes<float, N> value = LoadLanes<N>(matrix + at);
      for (int l = 0; l < N; ++l) sum[l] += value[l];
    });
    StoreLanes(sum, dx + i * N);
  }
};

}  // namespace singa
