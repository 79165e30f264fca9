// Exports kAttention as the products and the softmax that it is made of, over all time steps.
#include <cmath>
#include <limits>

#include "driver/onnx/layer_export.h"

namespace singa {
namespace {

// Returns `scores`, (1, N, heads, T, T), with -infinity where a step would read a later one.
std::string Masked(const std::string& scores, OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const std::string sizes =
      layer->Step("Slice", {layer->Step("Shape", {scores}), graph.Ints(layer->Inner("begin"), {3}),
                            graph.Ints(layer->Inner("end"), {5})});
  const std::string lowest = layer->Number("lowest", -std::numeric_limits<float>::infinity());
  const std::string one =  // Trilu takes a number, no list of one
      layer->Step("Squeeze", {graph.Ints(layer->Inner("one"), {1})});
  const std::string mask =
      layer->Step("Trilu", {layer->Step("Expand", {lowest, sizes}), one}, {OnnxInt("upper", 1)});
  return layer->Step("Add", {scores, mask});
}

void WriteAttention(OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const AttentionProto& conf = layer->conf().attention_conf();
  const Shape& x = layer->in_shape();
  const int steps = StepsOf(layer->node());
  const int64_t d = x[x.dims() - 1], heads = conf.num_heads(), width = d / heads;
  const int w_out = conf.bias_term() ? 2 : 1;
  OnnxNames in = {layer->in()[0], graph.Weight(layer->param(0), {3 * d, d})};
  if (conf.bias_term()) in.push_back(graph.Weight(layer->param(1), {3 * d}));
  const std::string qkv = layer->time_steps().Sequence(
      layer->Step("Gemm", in, {OnnxInt("transB", 1)}), steps, {3, heads, width});
  // (T, N, 3, heads, width) becomes three tensors of (1, N, heads, T, width).
  const OnnxNames parts = {graph.Fresh(layer->Inner("q")), graph.Fresh(layer->Inner("k")),
                           graph.Fresh(layer->Inner("v"))};
  graph.Add("Split", {layer->Step("Transpose", {qkv}, {OnnxInts("perm", {2, 1, 3, 0, 4})})}, parts,
            {OnnxInt("axis", 0)});
  const std::string keys =
      layer->Step("Transpose", {parts[1]}, {OnnxInts("perm", {0, 1, 2, 4, 3})});
  std::string scores =
      layer->Step("Mul", {layer->Step("MatMul", {parts[0], keys}),
                          layer->Number("scale", 1 / std::sqrt(static_cast<float>(width)))});
  if (conf.causal() && steps > 1) scores = Masked(scores, layer);
  const std::string weights = layer->Step("Softmax", {scores}, {OnnxInt("axis", -1)});
  const std::string o = layer->Step("Transpose", {layer->Step("MatMul", {weights, parts[2]})},
                                    {OnnxInts("perm", {3, 1, 0, 2, 4})});
  OnnxNames out = {layer->Reshape(o, {d}), graph.Weight(layer->param(w_out), {d, d})};
  if (conf.bias_term()) out.push_back(graph.Weight(layer->param(3), {d}));
  layer->Give("Gemm", out, {OnnxInt("transB", 1)});
}

SINGA_REGISTER_ONNX(kAttention, WriteAttention);

}  // namespace
}  // namespace singa
