// Reads operators on pictures: Conv, ConvTranspose, pooling, LRN, BatchNormalization, Pad.
#include <climits>

#include "driver/onnx/import/window_import.h"

namespace singa {
namespace {

// Reads the filters and the bias of a node into the layer that was added last.
void SetFilters(NodeImport* node, const ImportedWindow& window, int64_t filters, int64_t group,
                ImportedLayer* layer) {
  ConvolutionProto& conf = *layer->conf.mutable_convolution_conf();
  conf.set_num_filters(static_cast<int32_t>(filters));
  SetSides(window, &conf);
  if (window.y.dilation == window.x.dilation) {
    if (window.y.dilation != 1) conf.set_dilation(static_cast<int32_t>(window.y.dilation));
  } else {
    conf.set_dilation_y(static_cast<int32_t>(window.y.dilation));
    conf.set_dilation_x(static_cast<int32_t>(window.x.dilation));
  }
  if (group != 1) conf.set_group(static_cast<int32_t>(group));
  layer->params = {node->Weight(1)};
  if (!node->Has(2)) return conf.set_bias_term(false);
  layer->params.push_back(node->Weight(2));
  if (ProductOf(layer->params[1].dims) != filters)
    node->Refuse(
        StrCat("has ", filters, " filters, and a bias of ", SizesText(layer->params[1].dims)));
}

// Returns the sizes of the filters, which are a constant of four dimensions.
Sizes FilterDims(const NodeImport& node) {
  const Sizes dims = node.Weight(1).dims;
  if (dims.size() != 4)
    node.Refuse(StrCat("has filters of ", SizesText(dims),
                       "; only those of pictures, four sizes, "
                       "have a layer"));
  for (int64_t size : dims)
    if (size < 1 || size > INT_MAX) node.Refuse(StrCat("has filters of ", SizesText(dims)));
  return dims;
}

void ReadConv(NodeImport* node) {
  const Sizes filters = FilterDims(*node);
  const ImportedImage image = node->Image(0, true);
  const int64_t group = node->Int("group", 1);
  if (group < 1 || group > image.c || image.c % group != 0 || filters[1] != image.c / group ||
      filters[0] % group != 0)
    node->Refuse(StrCat("has filters of ", SizesText(filters), " in ", group, " groups for ",
                        image.c, " channels"));
  const ImportedWindow window = WindowOf(*node, filters[2], filters[3], image);
  RequireEqualPads(*node, window);
  const Sizes out = {filters[0], CountOf(*node, window.y, image.h),
                     CountOf(*node, window.x, image.w)};
  SetFilters(node, window, filters[0], group, &node->Add(kConvolution, {image.feature}, out));
  node->Give({kFreeBatch, out[0], out[1], out[2]});
}

void ReadConvTranspose(NodeImport* node) {
  const Sizes filters = FilterDims(*node);
  const ImportedImage image = node->Image(0);
  const int64_t group = node->Int("group", 1);
  if (group < 1 || filters[0] != image.c || image.c % group != 0 || filters[1] > INT_MAX / group)
    node->Refuse(StrCat("has filters of ", SizesText(filters), " in ", group, " groups for ",
                        image.c, " channels"));
  for (const char* name : {"output_padding", "output_shape"})
    for (int64_t size : node->Ints(name))
      if (size != 0) node->Refuse(StrCat(name, ": no layer has a field for it"));
  const std::string rule = node->Text("auto_pad", "NOTSET");
  if (rule != "NOTSET" && rule != "VALID") node->Refuse("auto_pad is " + rule);
  const ImportedWindow window = WindowOf(*node, filters[2], filters[3], image);
  RequireEqualPads(*node, window);
  const auto size = [](const WindowSide& side, int64_t in) {
    return (in - 1) * side.stride - 2 * side.pad + side.extent();
  };
  const Sizes out = {filters[1] * group, size(window.y, image.h), size(window.x, image.w)};
  SetFilters(node, window, out[0], group, &node->Add(kDeconvolution, {image.feature}, out));
  node->Give({kFreeBatch, out[0], out[1], out[2]});
}

void ReadBatchNorm(NodeImport* node) {
  if (node->Int("training_mode", 0) != 0)
    node->Refuse("is in training mode: export the model for inference");
  const Sizes dims = node->FeatureDims(0);
  LayerOutput source;
  if (dims.size() == 2) {
    source = node->Feature(0);
    const Sizes& row = node->graph().ShapeOf(source);
    if (row[0] != dims[1])
      node->Refuse(StrCat("reads rows of ", SizesText(row), " as ", SizesText(dims)));
  } else {
    source = node->Image(0).feature;
  }
  const Sizes row = node->graph().ShapeOf(source);
  ImportedLayer& layer = node->Add(kBM, {source}, row);
  for (size_t i = 1; i <= 4; ++i) {
    layer.params.push_back(node->Weight(i));
    if (layer.params.back().dims != Sizes{dims[1]})
      node->Refuse(StrCat("has ", dims[1], " channels, and input ", i, " of ",
                          SizesText(layer.params.back().dims)));
  }
  const float epsilon = node->Float("epsilon", 1e-5f), momentum = node->Float("momentum", 0.9f);
  BMProto& conf = *layer.conf.mutable_bm_conf();
  if (!(epsilon > 0)) node->Refuse(StrCat("epsilon must be > 0, is ", epsilon));
  if (epsilon != conf.epsilon()) conf.set_epsilon(epsilon);
  // PyTorch writes 1 for statistics that do not move; a layer's share must be below 1.
  if (momentum != conf.momentum() && momentum >= 0 && momentum < 1) conf.set_momentum(momentum);
  node->Give(dims);
}

void ReadLrn(NodeImport* node) {
  const ImportedImage image = node->Image(0);
  const Sizes row = node->graph().ShapeOf(image.feature), dims = node->FeatureDims(0);
  const int64_t size = node->Int("size", 0);
  if (size < 1 || size > INT_MAX || size % 2 == 0)
    node->Refuse(StrCat("size must be odd, is ", size));
  LRNProto& conf = *node->Add(kLRN, {image.feature}, row).conf.mutable_lrn_conf();
  conf.set_local_size(static_cast<int32_t>(size));
  conf.set_alpha(node->Float("alpha", 1e-4f));
  conf.set_beta(node->Float("beta", 0.75f));
  conf.set_knorm(node->Float("bias", 1));
  node->Give(dims);
}

// A layer takes the zeros of a Pad as padding of its own.
void ReadPad(NodeImport* node) {
  if (node->Text("mode", "constant") != "constant") node->Refuse("must pad with zeros");
  const float value = node->Has(2) ? node->Number(2).value_or(1) : node->Float("value", 0);
  if (value != 0) node->Refuse("must pad with zeros");
  if (node->Has(3)) node->Refuse("has axes, which an import does not read");
  const Sizes pads = node->Has(1) ? node->Integers(1) : node->Ints("pads");
  const Sizes dims = node->FeatureDims(0);
  if (pads.size() != 2 * dims.size()) node->Refuse("has pads that do not fit its input");
  bool none = true;
  for (int64_t pad : pads) none = none && pad == 0;
  if (none) return node->GiveSame(dims);
  node->Image(0);  // refuses values that are no pictures
  const Sizes wanted = {0, 0, pads[2], pads[3], 0, 0, pads[2], pads[3]};
  if (pads != wanted || pads[2] < 0 || pads[3] < 0 || pads[2] > kMostWindow ||
      pads[3] > kMostWindow)
    node->Refuse("must pad opposite sides of the picture equally, and nothing else");
  ImportValue padded{.form = ValueForm::kPadded,
                     .dims = {dims[0], dims[1], dims[2] + 2 * pads[2], dims[3] + 2 * pads[3]}};
  padded.source = node->Feature(0);
  padded.pad_y = pads[2];
  padded.pad_x = pads[3];
  node->Give(std::move(padded));
}

SINGA_REGISTER_ONNX_IMPORT(Conv, ReadConv);
SINGA_REGISTER_ONNX_IMPORT(ConvTranspose, ReadConvTranspose);
SINGA_REGISTER_ONNX_IMPORT(BatchNormalization, ReadBatchNorm);
SINGA_REGISTER_ONNX_IMPORT(LRN, ReadLrn);
SINGA_REGISTER_ONNX_IMPORT(Pad, ReadPad);

}  // namespace
}  // namespace singa
