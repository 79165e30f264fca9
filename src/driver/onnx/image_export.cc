// Exports layers on images: kConvolution, kDeconvolution, kPooling, kLRN, kBM. A source (N, h, w)
// has one channel.
#include <algorithm>

#include "driver/onnx/layer_export.h"
#include "nn/neuron/convolution_conf.h"
#include "nn/neuron/pooling_window.h"

namespace singa {
namespace {

// `after`: padding behind the image, beside window.y.pad and window.x.pad.
OnnxAttributes WindowOf(const Window& window, int64_t after_y = 0, int64_t after_x = 0) {
  const WindowSide &y = window.y, &x = window.x;
  return {OnnxInts("kernel_shape", {y.kernel, x.kernel}), OnnxInts("strides", {y.stride, x.stride}),
          OnnxInts("pads", {y.pad, x.pad, y.pad + after_y, x.pad + after_x})};
}

// Writes a layer whose filters have the shape (rows, columns, height, width of the window).
void WriteFilters(const std::string& op, const Window& window, int64_t rows, int64_t columns,
                  OnnxLayer* layer) {
  const int64_t groups = layer->conf().convolution_conf().group();
  OnnxNames inputs = {layer->Image(),
                      layer->graph().Weight(layer->param(0), {rows, columns / groups,
                                                              window.y.kernel, window.x.kernel})};
  if (layer->node().declared().params.size() > 1)
    inputs.push_back(layer->graph().Weight(layer->param(1), {layer->out_shape()[1]}));
  OnnxAttributes attributes = WindowOf(window);
  attributes.push_back(OnnxInts("dilations", {window.y.dilation, window.x.dilation}));
  attributes.push_back(OnnxInt("group", groups));
  layer->Give(op, inputs, attributes);
}

void WriteConvolution(OnnxLayer* layer) {
  const ImageShape in = ImageShape::Of(layer->in_shape());
  WriteFilters("Conv", ReadWindow(layer->conf().convolution_conf(), "", in), layer->out_shape()[1],
               in.c, layer);
}

void WriteDeconvolution(OnnxLayer* layer) {
  const ConvolutionProto& conf = layer->conf().convolution_conf();
  WriteFilters("ConvTranspose", WindowOfSides(RowsOf(conf, "").side, ColumnsOf(conf, "").side),
               ImageShape::Of(layer->in_shape()).c, layer->out_shape()[1], layer);
}

// Returns how far the last window reaches beyond the padded image.
int64_t Beyond(const WindowSide& side, int64_t in, int64_t out) {
  return std::max<int64_t>(0, (out - 1) * side.stride + side.kernel - in - 2 * side.pad);
}

// Runtimes differ in ceil_mode: in the number of windows, and in the area of the last. So the image
// is padded up to the end of the last window instead.
void WritePooling(OnnxLayer* layer) {
  const PoolingProto& conf = layer->conf().pooling_conf();
  const bool max = conf.pool() == PoolingProto::MAX;
  if (conf.global_pooling())
    return layer->Give(max ? "GlobalMaxPool" : "GlobalAveragePool", {layer->Image()});
  const ImageShape in = ImageShape::Of(layer->in_shape());
  Window window = ReadPooling(conf, "", in);
  const int64_t y = Beyond(window.y, in.h, layer->out_shape()[2]),
                x = Beyond(window.x, in.w, layer->out_shape()[3]);
  if (max) return layer->Give("MaxPool", {layer->Image()}, WindowOf(window, y, x));
  const bool cut = y > 0 || x > 0;
  std::string image = layer->Image();
  if (cut) {  // the conf's padding counts in a mean, what is beyond it does not
    const int64_t pad_y = window.y.pad, pad_x = window.x.pad;
    image =
        layer->Step("Pad", {image, layer->graph().Ints(layer->Inner("pads"),
                                                       {0, 0, pad_y, pad_x, 0, 0, pad_y, pad_x})});
    window.y.pad = window.x.pad = 0;
  }
  OnnxAttributes attributes = WindowOf(window, y, x);
  attributes.push_back(OnnxInt("count_include_pad", cut ? 0 : 1));
  layer->Give("AveragePool", {image}, attributes);
}

void WriteLrn(OnnxLayer* layer) {
  const LRNProto& conf = layer->conf().lrn_conf();
  layer->GiveImage("LRN", {layer->Image()},
                   {OnnxInt("size", conf.local_size()), OnnxFloat("alpha", conf.alpha()),
                    OnnxFloat("beta", conf.beta()), OnnxFloat("bias", conf.knorm())});
}

void WriteBatchNorm(OnnxLayer* layer) {
  OnnxNames inputs = {layer->Image()};
  for (int i = 0; i < 4; ++i)  // gamma, beta, running mean, running variance
    inputs.push_back(layer->graph().Weight(layer->param(i), {layer->param(i).size()}));
  const BMProto& conf = layer->conf().bm_conf();
  layer->GiveImage("BatchNormalization", inputs,
                   {OnnxFloat("epsilon", conf.epsilon()), OnnxFloat("momentum", conf.momentum())});
}

SINGA_REGISTER_ONNX(kConvolution, WriteConvolution);
SINGA_REGISTER_ONNX(kCConvolution, WriteConvolution);
SINGA_REGISTER_ONNX(kCudnnConv, WriteConvolution);
SINGA_REGISTER_ONNX(kDeconvolution, WriteDeconvolution);
SINGA_REGISTER_ONNX(kPooling, WritePooling);
SINGA_REGISTER_ONNX(kCPooling, WritePooling);
SINGA_REGISTER_ONNX(kCudnnPool, WritePooling);
SINGA_REGISTER_ONNX(kLRN, WriteLrn);
SINGA_REGISTER_ONNX(kCudnnLRN, WriteLrn);
SINGA_REGISTER_ONNX(kBM, WriteBatchNorm);
SINGA_REGISTER_ONNX(kCudnnBM, WriteBatchNorm);

}  // namespace
}  // namespace singa
