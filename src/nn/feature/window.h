// Window is the rectangle that convolution and pooling slide over a feature. This file has its
// geometry.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "singa/base/error.h"
#include "singa/tensor/shape.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// One side, in pixels. The k-th window has the pixels k stride - pad + p dilation, p < kernel.
struct WindowSide {
  int64_t kernel = 1, pad = 0, stride = 1, dilation = 1;
  // Returns the distance between the first pixel and the end of the last.
  SINGA_HD int64_t extent() const { return dilation * (kernel - 1) + 1; }
  int64_t Count(int64_t in) const { return (in + 2 * pad - extent()) / stride + 1; }
  // Returns the number of windows if the last may reach beyond the padded image. It begins before
  // the padding behind the image.
  int64_t CountUp(int64_t in) const {
    const int64_t count = (in + 2 * pad - extent() + stride - 1) / stride + 1;
    return (count - 1) * stride < in + pad ? count : count - 1;
  }
  // Returns the number of pixels of window k that are in the padded image. REQUIRES: dilation 1.
  SINGA_HD int64_t Within(int64_t k, int64_t in) const {
    const int64_t left = in + 2 * pad - k * stride;
    return left < kernel ? left : kernel;
  }
};

struct Window {
  WindowSide y, x;
  SINGA_HD int64_t area() const { return y.kernel * x.kernel; }
};

// Positions [begin, end) along one side, and the place of the first in a window.
struct WindowRange {
  int64_t begin, end, place;
};

// Returns the pixels of window k, of `in` pixels. The place increases by 1 from pixel to pixel.
// REQUIRES: dilation 1.
SINGA_HD inline WindowRange PixelsOfWindow(const WindowSide& side, int64_t k, int64_t in) {
  const int64_t first = k * side.stride - side.pad, last = first + side.kernel;
  const int64_t begin = first < 0 ? 0 : first;
  return {begin, last < in ? last : in, begin - first};
}

// Returns the windows that hold pixel i, of `out` windows. The place decreases by the stride from
// window to window. REQUIRES: dilation 1.
SINGA_HD inline WindowRange WindowsOfPixel(const WindowSide& side, int64_t i, int64_t out) {
  const int64_t at = i + side.pad;  // index in the padded image
  const int64_t begin = at < side.kernel ? 0 : (at - side.kernel) / side.stride + 1;
  const int64_t end = at / side.stride + 1;
  return {begin, end < out ? end : out, at - begin * side.stride};
}

// A feature of n images of c channels and h x w pixels, stored as [n, h, w, c].
struct ImageShape {
  int64_t n = 0, c = 0, h = 0, w = 0;
  SINGA_HD int64_t pixels() const { return h * w; }
  SINGA_HD int64_t size() const { return n * c * h * w; }

  // Makes the shape of (n, c, h, w), or of (n, h, w) with one channel. Throws
  // ConfigError("srclayers") for other shapes.
  static ImageShape Of(const Shape& shape) {
    if (shape.dims() == 4) return {shape[0], shape[1], shape[2], shape[3]};
    if (shape.dims() == 3) return {shape[0], 1, shape[1], shape[2]};
    throw ConfigError("srclayers",
                      StrCat("needs a source of shape (batch, channels, height, width) or (batch, "
                             "height, width), has ",
                             shape.ToString()));
  }
};

// Position of an element in a feature of images.
struct ImagePosition {
  int64_t n, y, x, c;
};
// Returns the position of the i-th stored element.
SINGA_HD inline ImagePosition PositionOf(const ImageShape& shape, int64_t i) {
  const int64_t pixel = i / shape.c, row = pixel / shape.w, n = row / shape.h;
  return {n, row - n * shape.h, pixel - row * shape.w, i - pixel * shape.c};
}

// Calls f(k, place) for each window that holds `pixel`, in rising k. Pixel k of `out`, counted over
// all images, belongs to the window. `place` is the index of `pixel` in the window, row by row.
// REQUIRES: dilation 1.
template <typename F>
SINGA_HD void ForEachWindowOfPixel(const Window& window, const ImageShape& out,
                                   const ImagePosition& pixel, const F& f) {
  const WindowRange rows = WindowsOfPixel(window.y, pixel.y, out.h);
  const WindowRange columns = WindowsOfPixel(window.x, pixel.x, out.w);
  int64_t row = rows.place * window.x.kernel;  // place of the first element of the pixel's row
  for (int64_t y = rows.begin; y < rows.end; ++y, row -= window.y.stride * window.x.kernel) {
    int64_t place = row + columns.place;
    for (int64_t x = columns.begin; x < columns.end; ++x, place -= window.x.stride)
      f((pixel.n * out.h + y) * out.w + x, place);
  }
}

// Returns the window of one side whose p-th pixel is pixel i, of `out` windows; -1: there is none.
SINGA_HD inline int64_t WindowAt(const WindowSide& side, int64_t i, int64_t p, int64_t out) {
  const int64_t first = i + side.pad - p * side.dilation;  // of the window, in the padded image
  if (first < 0 || first % side.stride != 0) return -1;
  return first / side.stride < out ? first / side.stride : -1;
}

// Does the work of ForEachWindowOfPixel for any dilation.
template <typename F>
SINGA_HD void ForEachDilatedWindow(const Window& window, const ImageShape& out,
                                   const ImagePosition& pixel, const F& f) {
  for (int64_t p = window.y.kernel; p-- > 0;) {
    const int64_t y = WindowAt(window.y, pixel.y, p, out.h);
    if (y < 0) continue;
    for (int64_t q = window.x.kernel; q-- > 0;) {
      const int64_t x = WindowAt(window.x, pixel.x, q, out.w);
      if (x >= 0) f((pixel.n * out.h + y) * out.w + x, p * window.x.kernel + q);
    }
  }
}

// Returns whether the sizes fit 32 bits, as vendor libraries require.
inline bool FitsInt32(const ImageShape& in, const ImageShape& out, const Window& window) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  return in.size() <= kMax && out.size() <= kMax && in.h + 2 * window.y.pad <= kMax &&
         in.w + 2 * window.x.pad <= kMax && window.y.stride <= kMax && window.x.stride <= kMax;
}

// One side of a window, with the names of the conf's fields that gave it.
struct WindowFields {
  WindowSide side;
  std::string kernel, pad, stride, dilation = {};
};

// Throws ConfigError naming the field unless the numbers can be those of a window.
inline void CheckSide(const WindowFields& fields) {
  const WindowSide& side = fields.side;
  if (side.kernel < 1) throw ConfigError(fields.kernel, StrCat("must be >= 1, is ", side.kernel));
  if (side.stride < 1) throw ConfigError(fields.stride, StrCat("must be >= 1, is ", side.stride));
  if (side.pad < 0) throw ConfigError(fields.pad, StrCat("must be >= 0, is ", side.pad));
  if (side.dilation < 1)
    throw ConfigError(fields.dilation, StrCat("must be >= 1, is ", side.dilation));
}

// Throws ConfigError naming the field unless the window fits the padded image at least once.
inline void CheckWindow(const WindowFields& fields, int64_t in, const char* what) {
  CheckSide(fields);
  const WindowSide& side = fields.side;
  if (side.extent() > in + 2 * side.pad)
    throw ConfigError(
        fields.kernel,
        StrCat("is ", side.kernel,
               side.dilation == 1 ? ""
                                  : StrCat(" with dilation ", side.dilation, ", so a window of ",
                                           side.extent(), " pixels"),
               ", larger than the padded ", what, " of its source, ", in + 2 * side.pad));
}

// Returns `square` if the user set it, else the field of one side. Fields may be unsigned.
inline int64_t Pick(bool has_square, int64_t square, int64_t side) {
  return has_square ? square : side;
}

// Reads the vertical side from `conf`, a ConvolutionProto or PoolingProto at `path`. A pooling has
// no dilation.
template <typename Conf>
WindowFields RowsOf(const Conf& conf, const std::string& path) {
  WindowFields fields = {{Pick(conf.has_kernel(), conf.kernel(), conf.kernel_y()),
                          Pick(conf.has_pad(), conf.pad(), conf.pad_y()),
                          Pick(conf.has_stride(), conf.stride(), conf.stride_y())},
                         path + (conf.has_kernel() ? ".kernel" : ".kernel_y"),
                         path + (conf.has_pad() ? ".pad" : ".pad_y"),
                         path + (conf.has_stride() ? ".stride" : ".stride_y")};
  if constexpr (requires { conf.dilation(); }) {
    fields.side.dilation = Pick(conf.has_dilation(), conf.dilation(), conf.dilation_y());
    fields.dilation = path + (conf.has_dilation() ? ".dilation" : ".dilation_y");
  }
  return fields;
}

template <typename Conf>
WindowFields ColumnsOf(const Conf& conf, const std::string& path) {
  WindowFields fields = {{Pick(conf.has_kernel(), conf.kernel(), conf.kernel_x()),
                          Pick(conf.has_pad(), conf.pad(), conf.pad_x()),
                          Pick(conf.has_stride(), conf.stride(), conf.stride_x())},
                         path + (conf.has_kernel() ? ".kernel" : ".kernel_x"),
                         path + (conf.has_pad() ? ".pad" : ".pad_x"),
                         path + (conf.has_stride() ? ".stride" : ".stride_x")};
  if constexpr (requires { conf.dilation(); }) {
    fields.side.dilation = Pick(conf.has_dilation(), conf.dilation(), conf.dilation_x());
    fields.dilation = path + (conf.has_dilation() ? ".dilation" : ".dilation_x");
  }
  return fields;
}

// Makes the window of two sides. One pixel has no distance to another: its dilation is 1, which
// vendor libraries know best.
inline Window WindowOfSides(WindowSide y, WindowSide x) {
  if (y.kernel == 1) y.dilation = 1;
  if (x.kernel == 1) x.dilation = 1;
  return {y, x};
}

// Reads and checks both sides. Throws ConfigError.
template <typename Conf>
Window ReadWindow(const Conf& conf, const std::string& path, const ImageShape& in) {
  const WindowFields rows = RowsOf(conf, path), columns = ColumnsOf(conf, path);
  CheckWindow(rows, in.h, "height");
  CheckWindow(columns, in.w, "width");
  return WindowOfSides(rows.side, columns.side);
}

}  // namespace singa
