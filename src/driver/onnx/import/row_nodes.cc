// Reads operators on rows: Gemm, MatMul, LayerNormalization, Softmax.
#include <climits>

#include "driver/onnx/import/node_import.h"

namespace singa {
namespace {

// Refuses input 0 unless it is (N, inputs).
void RequireRows(const NodeImport& node, int64_t inputs) {
  const Sizes& dims = node.FeatureDims(0);
  if (dims.size() != 2 || dims[1] != inputs)
    node.Refuse(StrCat("multiplies ", SizesText(dims), " by a matrix of ", inputs,
                       " inputs; a layer does so with rows, (N, ", inputs, ")"));
}

// Returns a constant matrix.
ImportedParam MatrixOf(const NodeImport& node) {
  const ImportedParam weight = node.Weight(1);
  if (weight.dims.size() != 2 || weight.dims[0] < 1 || weight.dims[1] < 1 ||
      weight.dims[0] > INT_MAX || weight.dims[1] > INT_MAX)
    node.Refuse(
        StrCat("multiplies by a constant of ", SizesText(weight.dims), ", which is no matrix"));
  return weight;
}

void ReadGemm(NodeImport* node) {
  if (node->Float("alpha", 1) != 1 || node->Float("beta", 1) != 1 || node->Int("transA", 0) != 0)
    node->Refuse("has alpha, beta or transA, for which no layer has a field");
  const ImportedParam weight = MatrixOf(*node);
  const bool transposed = node->Int("transB", 0) == 0;  // as the layer says it
  const int64_t outputs = weight.dims[transposed ? 1 : 0];
  RequireRows(*node, weight.dims[transposed ? 0 : 1]);
  ImportedLayer& layer = node->Add(kInnerProduct, {node->Feature(0)}, {outputs});
  InnerProductProto& conf = *layer.conf.mutable_innerproduct_conf();
  conf.set_num_output(static_cast<int32_t>(outputs));
  if (transposed) conf.set_transpose(true);
  layer.params = {weight};
  if (!node->Has(2)) {
    conf.set_bias_term(false);
  } else {
    layer.params.push_back(node->Weight(2));
    if (ProductOf(layer.params[1].dims) != outputs)
      node->Refuse(
          StrCat("has ", outputs, " outputs, and a bias of ", SizesText(layer.params[1].dims)));
  }
  node->Give({kFreeBatch, outputs});
}

// An Add behind it may give the bias.
void ReadMatMul(NodeImport* node) {
  if (node->IsConstant(0)) node->Refuse("multiplies a constant by a feature");
  const ImportedParam weight = MatrixOf(*node);
  RequireRows(*node, weight.dims[0]);
  ImportValue value{.form = ValueForm::kMatrix, .dims = {kFreeBatch, weight.dims[1]}};
  value.source = node->Feature(0);
  value.weight = weight;
  node->Give(std::move(value));
}

void ReadLayerNorm(NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  const auto axis = static_cast<size_t>(node->Axis(node->Int("axis", -1), dims));
  const int64_t units = node->RowSize(0);
  if (ProductOf(SizesFrom(dims, axis)) != units || axis < 1)
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
void ReadSoftmaxNode(NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  const bool old = node->opset() < 13;
  const auto axis = static_cast<size_t>(node->Axis(node->Int("axis", old ? 1 : -1), dims));
  const int64_t behind = ProductOf(SizesFrom(dims, axis + 1));
  if (axis < 1 || (!old && behind != 1))
    node->Refuse(StrCat("is over dimension ", axis, " of ", SizesText(dims),
                        "; a layer does so over the last"));
  const int64_t units = node->RowSize(0), each = dims[axis] * behind;
  if (units / each > INT_MAX) node->Refuse("has too many softmaxes in a row");
  ImportedLayer& layer = node->Add(kSoftmax, {node->Feature(0)}, {units});
  if (each != units)
    layer.conf.mutable_softmax_conf()->set_num_softmax_per_instance(
        static_cast<int32_t>(units / each));
  node->Give(dims);
}

SINGA_REGISTER_ONNX_IMPORT(Gemm, ReadGemm);
SINGA_REGISTER_ONNX_IMPORT(MatMul, ReadMatMul);
SINGA_REGISTER_ONNX_IMPORT(LayerNormalization, ReadLayerNorm);
SINGA_REGISTER_ONNX_IMPORT(Softmax, ReadSoftmaxNode);

}  // namespace
}  // namespace singa
