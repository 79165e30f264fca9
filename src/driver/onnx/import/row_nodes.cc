// Reads operators on rows: Gemm, MatMul, LayerNormalization, Softmax, LogSoftmax.
#include <algorithm>
#include <climits>

#include "driver/onnx/import/attention_import.h"
#include "driver/onnx/import/node_import.h"

namespace singa {
namespace {

// Returns whether dimensions from `axis` on are the units of rows, and those before it the rows.
bool HasUnitsFrom(const Sizes& dims, size_t axis) {
  const Sizes before(dims.begin(), dims.begin() + static_cast<int64_t>(axis)),
      units = SizesFrom(dims, axis);
  return UnitsOf(before) == 1 && std::any_of(before.begin(), before.end(), IsFree) &&
         std::none_of(units.begin(), units.end(), IsFree);
}

// Returns the sizes of the product of input 0 and a matrix. Refuses input 0 unless its last
// dimension is a whole row, of `inputs` units.
Sizes ProductDims(const NodeImport& node, int64_t inputs, int64_t outputs) {
  Sizes dims = node.FeatureDims(0);
  if (dims.empty() || dims.back() != inputs || !HasUnitsFrom(dims, dims.size() - 1))
    node.Refuse(StrCat("multiplies ", SizesText(dims), " by a matrix of ", inputs,
                       " inputs; a layer does so with rows, (N, ", inputs, ")"));
  dims.back() = outputs;
  return dims;
}

void ReadGemm(NodeImport* node) {
  if (node->Float("alpha", 1) != 1 || node->Float("beta", 1) != 1 || node->Int("transA", 0) != 0)
    node->Refuse("has alpha, beta or transA, for which no layer has a field");
  const ImportedParam weight = node->Matrix();
  const bool transposed = node->Int("transB", 0) == 0;  // as the layer says it
  if (node->in(0).form == ValueForm::kAttended) return ReadAttentionGemm(weight, transposed, node);
  const int64_t outputs = weight.dims[transposed ? 1 : 0];
  const Sizes dims = ProductDims(*node, weight.dims[transposed ? 0 : 1], outputs);
  ImportedLayer& layer = node->Add(kInnerProduct, {node->Feature(0)}, {outputs});
  InnerProductProto& conf = *layer.conf.mutable_innerproduct_conf();
  conf.set_num_output(static_cast<int32_t>(outputs));
  if (transposed) conf.set_transpose(true);
  layer.params = {weight};
  if (!node->Has(2)) {
    conf.set_bias_term(false);
  } else {
    layer.params.push_back(node->Bias(2, outputs));
  }
  node->Give(dims);
}

// An Add behind it may give the bias.
void ReadMatMul(NodeImport* node) {
  if (ReadAttentionMatMul(node)) return;
  if (node->IsConstant(0)) node->Refuse("multiplies a constant by a feature");
  const ImportedParam weight = node->Matrix();
  ImportValue value{.form = ValueForm::kMatrix,
                    .dims = ProductDims(*node, weight.dims[0], weight.dims[1])};
  value.source = node->Feature(0);
  value.weight = weight;
  node->Give(std::move(value));
}

void ReadLayerNorm(NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  const auto axis = static_cast<size_t>(node->Axis(node->Int("axis", -1), dims));
  const int64_t units = node->RowSize(0);
  if (!HasUnitsFrom(dims, axis))
    node->Refuse(StrCat("normalises dimensions from ", axis, " on of ", SizesText(dims),
                        "; a layer does so with whole rows"));
  if (!node->Has(2)) node->Refuse("has no shift (B), which the layer has");
  const LayerOutput x = node->Feature(0);
  ImportedLayer& layer = node->Add(kLayerNorm, {x}, Sizes(node->graph().ShapeOf(x)));
  layer.params = {node->Weight(1), node->Weight(2)};
  for (const ImportedParam& param : layer.params)
    if (ProductOf(param.dims) != units)
      node->Refuse(StrCat("has ", units, " units, and a constant of ", SizesText(param.dims)));
  const float epsilon = node->Float("epsilon", 1e-5f);
  if (!(epsilon > 0)) node->Refuse(StrCat("epsilon must be > 0, is ", epsilon));
  LayerNormProto& conf = *layer.conf.mutable_layer_norm_conf();
  if (epsilon != conf.epsilon()) conf.set_epsilon(epsilon);
  node->Give(dims);
}

// A row may have several softmaxes, side by side. Before opset 13 one had all sizes from `axis` on.
void AddSoftmax(bool logarithm, NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  const bool old = node->opset() < 13;
  const auto axis = static_cast<size_t>(node->Axis(node->Int("axis", old ? 1 : -1), dims));
  const Sizes all = SizesFrom(dims, axis);
  const int64_t behind = UnitsOf(SizesFrom(all, 1));
  if (!logarithm && ReadAttentionSoftmax(axis, node)) return;
  if (axis < 1 || std::any_of(all.begin(), all.end(), IsFree) || (!old && behind != 1))
    node->Refuse(StrCat("is over dimension ", axis, " of ", SizesText(dims),
                        "; a layer does so over the last"));
  const int64_t units = node->RowSize(0), each = dims[axis] * behind;
  if (units / each > INT_MAX) node->Refuse("has too many softmaxes in a row");
  ImportedLayer& layer = node->Add(kSoftmax, {node->Feature(0)}, {units});
  layer.logarithm = logarithm;
  if (each != units)
    layer.conf.mutable_softmax_conf()->set_num_softmax_per_instance(
        static_cast<int32_t>(units / each));
  node->Give(dims);
}

void ReadSoftmaxNode(NodeImport* node) { AddSoftmax(false, node); }
void ReadLogSoftmax(NodeImport* node) { AddSoftmax(true, node); }

SINGA_REGISTER_ONNX_IMPORT(Gemm, ReadGemm);
SINGA_REGISTER_ONNX_IMPORT(MatMul, ReadMatMul);
SINGA_REGISTER_ONNX_IMPORT(LayerNormalization, ReadLayerNorm);
SINGA_REGISTER_ONNX_IMPORT(Softmax, ReadSoftmaxNode);
SINGA_REGISTER_ONNX_IMPORT(LogSoftmax, ReadLogSoftmax);

}  // namespace
}  // namespace singa
