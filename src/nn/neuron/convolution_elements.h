// Device code, for one thread, of a convolution as a product of matrices. The matrix of some images
// has a row per output pixel. A row has, group by group, a column per weight of a filter in the
// order (row, column, channel). A thread handles N channels of a group.
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
    // Treats the columns of a group as an image of the window's pixels.
    const ImageShape windows = {d.out.n * d.out.pixels() * d.groups, d.channels(),
                                d.window.y.kernel, d.window.x.kernel};
    const ImagePosition p = PositionOf(windows, i * N);
    const int64_t pixel = p.n / d.groups, group = p.n - pixel * d.groups;
    const ImagePosition o = PositionOf({d.out.n, 1, d.out.h, d.out.w}, pixel);
    const int64_t row = o.y * d.window.y.stride - d.window.y.pad + p.y * d.window.y.dilation;
    const int64_t column = o.x * d.window.x.stride - d.window.x.pad + p.x * d.window.x.dilation;
    Lanes<float, N> values = {};
    if (row >= 0 && row < d.in.h && column >= 0 && column < d.in.w)
      values = LoadLanes<N>(x + ((o.n * d.in.h + row) * d.in.w + column) * d.in.c +
                            group * d.channels() + p.c);
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
    const int64_t group = p.c / d.channels(), channel = p.c - group * d.channels();
    Lanes<float, N> sum = {};
    const auto add = [&](int64_t k, int64_t place) {
      const int64_t at =
          ((k * d.groups + group) * d.window.area() + place) * d.channels() + channel;
      const Lanes<float, N> value = LoadLanes<N>(matrix + at);
      for (int l = 0; l < N; ++l) sum[l] += value[l];
    };
    if (d.dilated())
      ForEachDilatedWindow(d.window, d.out, p, add);
    else
      ForEachWindowOfPixel(d.window, d.out, p, add);
    StoreLanes(sum, dx + i * N);
  }
};

}  // namespace singa
