// Reads MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool, and ReduceMean over a picture.
#include <algorithm>

#include "driver/onnx/import/window_import.h"

namespace singa {
namespace {

void AddGlobal(PoolingProto::PoolMethod method, bool keeps_dims, NodeImport* node) {
  const ImportedImage image = node->Image(0);
  PoolingProto& conf =
      *node->Add(kPooling, {image.feature}, {image.c, 1, 1}).conf.mutable_pooling_conf();
  conf.set_pool(method);
  conf.set_global_pooling(true);
  node->Give(keeps_dims ? Sizes{kFreeBatch, image.c, 1, 1} : Sizes{kFreeBatch, image.c});
}

void ReadGlobalMax(NodeImport* node) { AddGlobal(PoolingProto::MAX, true, node); }
void ReadGlobalMean(NodeImport* node) { AddGlobal(PoolingProto::AVG, true, node); }

void ReadReduceMean(NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  Sizes axes = node->Has(1) ? node->Integers(1) : node->Ints("axes");
  for (int64_t& axis : axes) axis = node->Axis(axis, dims);
  std::sort(axes.begin(), axes.end());
  if (dims.size() != 4 || axes != Sizes{2, 3})
    node->Refuse(StrCat("takes the mean of dimensions ", SizesText(axes), " of ", SizesText(dims),
                        "; only the mean of a picture, dimensions 2 and 3, has a layer"));
  AddGlobal(PoolingProto::AVG, node->Int("keepdims", 1) != 0, node);
}

// Returns the number of windows of one side that the node gives.
int64_t WindowsOf(const WindowSide& side, int64_t after, int64_t in, bool up) {
  const int64_t room = in + side.pad + after - side.kernel;
  const int64_t count = (room + (up ? side.stride - 1 : 0)) / side.stride + 1;
  return up && (count - 1) * side.stride >= in + side.pad ? count - 1 : count;
}

struct PooledSide {
  int64_t count = 0;
  bool down = false, up = false;  // whether a layer that rounds down, or up, gives `count`
};

PooledSide Judge(const NodeImport& node, const WindowSide& side, int64_t after, int64_t in) {
  if (side.pad >= side.kernel || after > side.kernel + side.stride)
    node.Refuse("has more padding than a window has pixels");
  if (in + side.pad + after < side.kernel || in + 2 * side.pad < side.kernel)
    node.Refuse("its window is larger than the picture");
  PooledSide found;
  found.count = WindowsOf(side, after, in, node.Int("ceil_mode", 0) != 0);
  found.down = found.count == side.Count(in);
  found.up = found.count == side.CountUp(in);
  return found;
}

// Adds a pooling layer with the windows of the node. Padding behind the picture has no field. It
// must change nothing, or add the windows that ceil_mode adds.
void AddPooling(const ImportedWindow& window, const ImportedImage& image,
                PoolingProto::PoolMethod method, NodeImport* node) {
  if (window.y.dilation != 1 || window.x.dilation != 1) node->Refuse("has dilations");
  const PooledSide y = Judge(*node, window.y, window.after_y, image.h),
                   x = Judge(*node, window.x, window.after_x, image.w);
  const bool down = y.down && x.down;
  if (!down && !(y.up && x.up))
    node->Refuse("has windows that no layer has, as padding differs on opposite sides");
  const Sizes out = {image.c, y.count, x.count};
  PoolingProto& conf = *node->Add(kPooling, {image.feature}, out).conf.mutable_pooling_conf();
  conf.set_pool(method);
  SetSides(window, &conf);
  if (!down) conf.set_ceil_mode(true);
  node->Give({kFreeBatch, out[0], out[1], out[2]});
}

void ReadMaxPool(NodeImport* node) {
  if (node->node().outputs.size() > 1 && !node->node().outputs[1].empty())
    node->Refuse("gives indices, which no layer does");
  if (node->Ints("kernel_shape").empty()) node->Refuse("has no kernel_shape");
  const ImportedImage image = node->Image(0);
  AddPooling(WindowOf(*node, 0, 0, image), image, PoolingProto::MAX, node);
}

// A layer's mean counts the padding on both sides of the picture, and nothing beyond it.
void ReadAveragePool(NodeImport* node) {
  if (node->Ints("kernel_shape").empty()) node->Refuse("has no kernel_shape");
  const ImportedImage image = node->Image(0, true);
  const ImportedWindow window = WindowOf(*node, 0, 0, image);
  const bool counts = node->Int("count_include_pad", 0) != 0;
  const bool own = window.y.pad > image.pad_y || window.x.pad > image.pad_x;
  if (!counts && own) node->Refuse("leaves padding out of the mean, which no layer does");
  if (counts) RequireEqualPads(*node, window);
  AddPooling(window, image, PoolingProto::AVG, node);
}

SINGA_REGISTER_ONNX_IMPORT(GlobalMaxPool, ReadGlobalMax);
SINGA_REGISTER_ONNX_IMPORT(GlobalAveragePool, ReadGlobalMean);
SINGA_REGISTER_ONNX_IMPORT(ReduceMean, ReadReduceMean);
SINGA_REGISTER_ONNX_IMPORT(MaxPool, ReadMaxPool);
SINGA_REGISTER_ONNX_IMPORT(AveragePool, ReadAveragePool);

}  // namespace
}  // namespace singa
