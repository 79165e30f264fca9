// Exports layers on rows, (N, units) in logical order: kInnerProduct, kRBMVis, kRBMHid, kLayerNorm,
// kSoftmax, kSoftmaxLoss, kSigmoidCrossEntropyLoss, kArgSort, kAccuracy.
#include <limits>

#include "driver/onnx/layer_export.h"

namespace singa {
namespace {

void WriteInnerProduct(OnnxLayer* layer) {
  const InnerProductProto& conf = layer->conf().innerproduct_conf();
  const int64_t inputs = layer->in_shape().size(1), outputs = layer->out_shape()[1];
  const std::vector<int64_t> dims = conf.transpose() ? std::vector<int64_t>{inputs, outputs}
                                                     : std::vector<int64_t>{outputs, inputs};
  OnnxNames operands = {layer->Rows(), layer->graph().Weight(layer->param(0), dims)};
  if (conf.bias_term()) operands.push_back(layer->graph().Weight(layer->param(1), {outputs}));
  layer->Give("Gemm", operands, {OnnxInt("transB", conf.transpose() ? 0 : 1)});
}

// A trained RBM passes its input on, and kRBMHid gives the mean of the hidden units.
void WriteRbmVis(OnnxLayer* layer) { layer->Alias(layer->Rows()); }

void WriteRbmHid(OnnxLayer* layer) {
  const RBMProto& conf = layer->conf().rbm_conf();
  const int64_t visible = layer->in_shape().size(1), hidden = layer->out_shape()[1];
  OnnxNames operands = {layer->Rows(), layer->graph().Weight(layer->param(0), {hidden, visible})};
  if (conf.bias_term()) operands.push_back(layer->graph().Weight(layer->param(1), {hidden}));
  const OnnxAttributes transposed = {OnnxInt("transB", 1)};
  if (conf.gaussian()) return layer->Give("Gemm", operands, transposed);
  layer->Give("Sigmoid", {layer->Step("Gemm", operands, transposed)});
}

void WriteLayerNorm(OnnxLayer* layer) {
  const std::vector<int64_t> sizes = layer->row_sizes();
  layer->Give(
      "LayerNormalization",
      {layer->in()[0], layer->graph().Weight(layer->param(0), sizes),
       layer->graph().Weight(layer->param(1), sizes)},
      {OnnxInt("axis", 1), OnnxFloat("epsilon", layer->conf().layer_norm_conf().epsilon())});
}

void WriteSoftmax(OnnxLayer* layer) {
  const int64_t parts = layer->conf().softmax_conf().num_softmax_per_instance();
  const OnnxAttributes last = {OnnxInt("axis", -1)};
  if (parts == 1) return layer->Give("Softmax", {layer->Rows()}, last);
  const int64_t units = layer->out_shape()[1];
  const std::string cut = layer->Reshape(layer->in()[0], {parts, units / parts});
  layer->Give("Flatten", {layer->Step("Softmax", {cut}, last)}, {OnnxInt("axis", 1)});
}

void WriteSoftmaxLoss(OnnxLayer* layer) {
  layer->Give("Softmax", {layer->Rows()}, {OnnxInt("axis", -1)});
}

void WriteSigmoidLoss(OnnxLayer* layer) { layer->Give("Sigmoid", {layer->Rows()}); }

// Reverses each row, as of equal scores ONNX ranks the smaller index first, and singa the larger.
void WriteRank(OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const int64_t units = layer->in_shape().size(1);
  const std::string turned = layer->Step(
      "Slice", {layer->Rows(), graph.Ints(layer->Inner("last"), {-1}),
                graph.Ints(layer->Inner("first"), {std::numeric_limits<int64_t>::min()}),
                graph.Ints(layer->Inner("axis"), {1}), graph.Ints(layer->Inner("step"), {-1})});
  const std::string k = graph.Ints(layer->Inner("topk"), {layer->conf().argsort_conf().topk()});
  const std::string values = graph.Fresh(layer->Inner("values")),
                    indices = graph.Fresh(layer->Inner("indices"));
  graph.Add("TopK", {turned, k}, {values, indices}, {OnnxInt("axis", 1)});
  const std::string index =
      layer->Step("Sub", {graph.Ints(layer->Inner("units"), {units - 1}), indices});
  layer->Give("Cast", {index}, {OnnxInt("to", onnx::TensorProto::FLOAT)});
}

SINGA_REGISTER_ONNX(kInnerProduct, WriteInnerProduct);
SINGA_REGISTER_ONNX(kRBMVis, WriteRbmVis, 1);
SINGA_REGISTER_ONNX(kRBMHid, WriteRbmHid);
SINGA_REGISTER_ONNX(kLayerNorm, WriteLayerNorm);
SINGA_REGISTER_ONNX(kSoftmax, WriteSoftmax);
SINGA_REGISTER_ONNX(kCudnnSoftmax, WriteSoftmax);
SINGA_REGISTER_ONNX(kSoftmaxLoss, WriteSoftmaxLoss, 1);
SINGA_REGISTER_ONNX(kCudnnSoftmaxLoss, WriteSoftmaxLoss, 1);
SINGA_REGISTER_ONNX(kSigmoidCrossEntropyLoss, WriteSigmoidLoss, 1);
SINGA_REGISTER_ONNX(kArgSort, WriteRank);
SINGA_REGISTER_ONNX(kAccuracy, WriteRank, 1);

}  // namespace
}  // namespace singa
