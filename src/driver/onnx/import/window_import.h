// ImportedWindow is the window of a Conv, ConvTranspose or pooling node, as fields of a layer.
#pragma once

#include <cstdint>

#include "driver/onnx/import/node_import.h"
#include "nn/feature/window.h"

namespace singa {

// Largest kernel, stride, dilation and padding that an import takes.
inline constexpr int64_t kMostWindow = 1 << 20;

struct ImportedWindow {
  WindowSide y, x;                   // pad: before the picture, with the zeros of a Pad
  int64_t after_y = 0, after_x = 0;  // padding behind it
};

// Reads kernel_shape (if the node has none: `kernel_y` and `kernel_x`), strides, dilations, pads
// and auto_pad. Refuses sizes that are no window of two dimensions.
ImportedWindow WindowOf(const NodeImport& node, int64_t kernel_y, int64_t kernel_x,
                        const ImportedImage& image);

// Refuses padding that differs on opposite sides.
void RequireEqualPads(const NodeImport& node, const ImportedWindow& window);

// Returns the number of windows. Refuses a window that does not fit.
int64_t CountOf(const NodeImport& node, const WindowSide& side, int64_t in);

// Sets kernel, pad and stride: one field for both sides if they are equal.
template <typename Proto>
void SetSides(const ImportedWindow& window, Proto* conf) {
  const WindowSide &y = window.y, &x = window.x;
  const auto small = [](int64_t size) { return static_cast<int32_t>(size); };
  if (y.kernel == x.kernel) {
    conf->set_kernel(small(y.kernel));
  } else {
    conf->set_kernel_y(small(y.kernel));
    conf->set_kernel_x(small(x.kernel));
  }
  if (y.pad != x.pad) {
    conf->set_pad_y(small(y.pad));
    conf->set_pad_x(small(x.pad));
  } else if (y.pad != 0) {
    conf->set_pad(small(y.pad));
  }
  if (y.stride == x.stride) {
    conf->set_stride(small(y.stride));
  } else {
    conf->set_stride_y(small(y.stride));
    conf->set_stride_x(small(x.stride));
  }
}

}  // namespace singa
