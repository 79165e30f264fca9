#include "driver/onnx/import/window_import.h"

#include <algorithm>

namespace singa {
namespace {

// Returns sizes from `least` to kMostWindow, as many as `missing` has. `missing`: the result for a
// node without them.
Sizes TwoSizes(const NodeImport& node, const std::string& name, int64_t least,
               const Sizes& missing) {
  Sizes sizes = node.Ints(name);
  if (sizes.empty()) sizes = missing;
  if (sizes.size() != missing.size())
    node.Refuse(
        StrCat(name, " has ", sizes.size(), " sizes, not the ", missing.size(), " of a picture"));
  for (int64_t size : sizes)
    if (size < least || size > kMostWindow)
      node.Refuse(StrCat(name, " must be from ", least, " to ", kMostWindow, ", has ", size));
  return sizes;
}

// Pads a side so that there is a window for each `stride` pixels. An odd pixel of padding goes
// behind the picture if `upper` is true, else before it.
void PadSame(const NodeImport& node, WindowSide* side, int64_t* after, int64_t in, bool upper) {
  const int64_t count = (in + side->stride - 1) / side->stride;
  const int64_t all = std::max<int64_t>(0, (count - 1) * side->stride + side->extent() - in);
  side->pad = upper ? all / 2 : all - all / 2;
  *after = all - side->pad;
  if (std::max(side->pad, *after) > kMostWindow)
    node.Refuse(StrCat("auto_pad needs ", all, " pixels of padding; a side takes ", kMostWindow));
}

}  // namespace

ImportedWindow WindowOf(const NodeImport& node, int64_t kernel_y, int64_t kernel_x,
                        const ImportedImage& image) {
  const Sizes kernel = TwoSizes(node, "kernel_shape", 1, {kernel_y, kernel_x}),
              strides = TwoSizes(node, "strides", 1, {1, 1}),
              dilations = TwoSizes(node, "dilations", 1, {1, 1}),
              pads = TwoSizes(node, "pads", 0, {0, 0, 0, 0});
  if (kernel_y > 0 && kernel != Sizes{kernel_y, kernel_x})
    node.Refuse(StrCat("kernel_shape is ", SizesText(kernel), ", the filters have ",
                       SizesText({kernel_y, kernel_x})));
  ImportedWindow window;
  window.y = {kernel[0], pads[0], strides[0], dilations[0]};
  window.x = {kernel[1], pads[1], strides[1], dilations[1]};
  window.after_y = pads[2];
  window.after_x = pads[3];
  const std::string rule = node.Text("auto_pad", "NOTSET");
  if (rule == "SAME_UPPER" || rule == "SAME_LOWER") {
    PadSame(node, &window.y, &window.after_y, image.h + 2 * image.pad_y, rule == "SAME_UPPER");
    PadSame(node, &window.x, &window.after_x, image.w + 2 * image.pad_x, rule == "SAME_UPPER");
  } else if (rule == "VALID") {
    window.y.pad = window.x.pad = window.after_y = window.after_x = 0;
  } else if (rule != "NOTSET") {
    node.Refuse("auto_pad is " + rule);
  }
  window.y.pad += image.pad_y;
  window.x.pad += image.pad_x;
  window.after_y += image.pad_y;
  window.after_x += image.pad_x;
  return window;
}

void RequireEqualPads(const NodeImport& node, const ImportedWindow& window) {
  if (window.after_y != window.y.pad || window.after_x != window.x.pad)
    node.Refuse("pads differ on opposite sides of the picture");
}

int64_t CountOf(const NodeImport& node, const WindowSide& side, int64_t in) {
  if (in + 2 * side.pad < side.extent())
    node.Refuse(StrCat("its window of ", side.extent(), " pixels is larger than the picture of ",
                       in, " with its padding"));
  return side.Count(in);
}

}  // namespace singa
