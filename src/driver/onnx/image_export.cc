// Exports layers on images: kConvolution, kPooling, kLRN, kBM. A source (N, h, w) has one channel.
#include "driver/onnx/layer_export.h"
#include "nn/neuron/batch_norm.h"
#include "nn/neuron/window.h"

namespace singa {
namespace {

template <typename Conf>
OnnxAttributes WindowOf(const Conf& conf, const OnnxLayer& layer) {
  const Window window = ReadWindow(conf, "", ImageShape::Of(layer.in_shape()));
  const WindowSide &y = window.y, &x = window.x;
  return {OnnxInts("kernel_shape", {y.kernel, x.kernel}), OnnxInts("strides", {y.stride, x.stride}),
          OnnxInts("pads", {y.pad, x.pad, y.pad, x.pad})};
}

void WriteConvolution(OnnxLayer* layer) {
  const ConvolutionProto& conf = layer->conf().convolution_conf();
  const ImageShape in = ImageShape::Of(layer->in_shape());
  const Window window = ReadWindow(conf, "", in);
  const int64_t filters = layer->out_shape()[1];
  OnnxNames inputs = {
      layer->Image(),
      layer->graph().Weight(layer->param(0), {filters, in.c, window.y.kernel, window.x.kernel})};
  if (layer->node().declared().params.size() > 1)
    inputs.push_back(layer->graph().Weight(layer->param(1), {filters}));
  layer->Give("Conv", inputs, WindowOf(conf, *layer));
}

void WritePooling(OnnxLayer* layer) {
  const PoolingProto& conf = layer->conf().pooling_conf();
  OnnxAttributes attributes = WindowOf(conf, *layer);
  if (conf.pool() == PoolingProto::MAX) return layer->Give("MaxPool", {layer->Image()}, attributes);
  attributes.push_back(OnnxInt("count_include_pad", 1));
  layer->Give("AveragePool", {layer->Image()}, attributes);
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
  layer->GiveImage("BatchNormalization", inputs,
                   {OnnxFloat("epsilon", static_cast<float>(kBatchNormEpsilon))});
}

SINGA_REGISTER_ONNX(kConvolution, WriteConvolution);
SINGA_REGISTER_ONNX(kCConvolution, WriteConvolution);
SINGA_REGISTER_ONNX(kCudnnConv, WriteConvolution);
SINGA_REGISTER_ONNX(kPooling, WritePooling);
SINGA_REGISTER_ONNX(kCPooling, WritePooling);
SINGA_REGISTER_ONNX(kCudnnPool, WritePooling);
SINGA_REGISTER_ONNX(kLRN, WriteLrn);
SINGA_REGISTER_ONNX(kCudnnLRN, WriteLrn);
SINGA_REGISTER_ONNX(kBM, WriteBatchNorm);
SINGA_REGISTER_ONNX(kCudnnBM, WriteBatchNorm);

}  // namespace
}  // namespace singa
