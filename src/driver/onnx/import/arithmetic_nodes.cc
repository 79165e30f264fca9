// Reads Add, Sub, Mul, Div, Max and Sum: joins of features, and parts of functions.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/counted.h"
#include "driver/onnx/import/input_steps.h"
#include "driver/onnx/import/node_import.h"
#include "nn/neuron/activation.h"

namespace singa {
namespace {

constexpr size_t kMostTerms = 32;

bool IsAboutEqual(float value, float wanted) { return std::abs(value - wanted) <= 1e-6f * wanted; }

void RequireTwoInputs(const NodeImport& node) {
  if (node.inputs() != 2)
    node.Refuse(StrCat("has ", Counted(node.inputs(), "input"), "; this operator takes 2"));
}

// Joins the features that the node reads, with a factor for each input.
void JoinFeatures(EltwiseProto::Operation operation, const std::vector<float>& factors,
                  NodeImport* node) {
  if (node->inputs() == 1) return node->GiveSame(Sizes(node->FeatureDims(0)));
  ImportValue value{.form = ValueForm::kJoin, .dims = node->FeatureDims(0)};
  value.operation = operation;
  for (size_t i = 0; i < node->inputs(); ++i) {
    ImportValue& term = node->in(i);
    if (node->FeatureDims(i) != value.dims)
      node->Refuse(StrCat("joins ", SizesText(value.dims), " and ", SizesText(term.dims),
                          "; a layer needs equal sizes"));
    const bool sum = operation == EltwiseProto::SUM;
    if (i == 0 && term.form == ValueForm::kJoin && term.operation == operation && factors[0] == 1 &&
        node->IsSoleReader(0) && term.terms.size() < kMostTerms) {
      value.terms = term.terms;
      value.coefficients = term.coefficients;
      continue;
    }
    const bool scaled = sum && term.form == ValueForm::kScaled;
    value.coefficients.push_back(factors[i] * (scaled ? term.factor : 1));
    value.terms.push_back(scaled ? term.source : node->Feature(i));
  }
  const Sizes& first = node->graph().ShapeOf(value.terms[0]);
  for (const LayerOutput& term : value.terms)
    if (node->graph().ShapeOf(term) != first)
      node->Refuse(StrCat("joins features with rows of ", SizesText(first), " and ",
                          SizesText(node->graph().ShapeOf(term)), ": no layer reshapes them"));
  node->Give(std::move(value));
}

// Multiplies input `x` by `factor`, which is the number in the constant input `number`.
void Scale(size_t x, size_t number, float factor, NodeImport* node) {
  ImportValue value = node->in(x);
  const Sizes& dims = node->in(number).dims;
  if (dims.size() > value.dims.size())
    node->Refuse(StrCat("joins ", SizesText(value.dims), " and a constant of ", SizesText(dims),
                        ", which has more dimensions"));
  if (value.form == ValueForm::kTanh && IsAboutEqual(value.factor, kSTanhB) &&
      IsAboutEqual(factor, kSTanhA)) {
    node->Add(kSTanh, {value.source}, Sizes(node->graph().ShapeOf(value.source)));
    return node->Give(value.dims);
  }
  const bool part_of_gelu = value.form == ValueForm::kGelu && value.factor != 1;
  const bool part =
      value.form == ValueForm::kErfPlusOne || part_of_gelu || value.form == ValueForm::kScaled;
  if (!std::isfinite(part ? value.factor * factor : factor))
    node->Refuse("multiplies by a number that is not finite");
  if (part) {
    value.factor *= factor;
  } else {
    value.source = node->Feature(x);
    value.form = ValueForm::kScaled;
    value.factor = factor;
  }
  if ((value.form == ValueForm::kGelu || value.form == ValueForm::kScaled) &&
      IsAboutEqual(value.factor, 1))
    value.factor = 1;
  if (value.form == ValueForm::kScaled && value.factor == 1) value.form = ValueForm::kFeature;
  node->Give(std::move(value));
}

// Reads x times a hard sigmoid of x, which may have a factor. Returns false for another node.
bool GiveHardSwish(size_t x, size_t part, NodeImport* node) {
  const ImportValue &left = node->in(x), &right = node->in(part);
  if (left.form != ValueForm::kFeature || left.dims != right.dims ||
      (right.form != ValueForm::kFeature && right.form != ValueForm::kScaled))
    return false;
  const ImportedLayer& gate = node->graph().layer(right.source.layer);
  if (gate.conf.type() != kActivation || gate.conf.activation_conf().type() != HARD_SIGMOID ||
      gate.sources[0] != left.source)
    return false;
  node->Add(kActivation, {left.source}, Sizes(node->graph().ShapeOf(left.source)))
      .conf.mutable_activation_conf()
      ->set_type(HARD_SWISH);
  ImportValue value{.form = right.form, .dims = left.dims};
  value.source = {node->graph().last_layer(), 0};
  value.factor = right.factor;
  node->Give(std::move(value));
  return true;
}

// Reads x sigmoid(x) and x (1 + erf(x / sqrt(2))), with `part` as the second factor. Returns
// whether it is one of them.
bool GiveProduct(size_t x, size_t part, NodeImport* node) {
  const ImportValue &left = node->in(x), &right = node->in(part);
  const bool scaled = left.form == ValueForm::kScaled;
  if ((!scaled && left.form != ValueForm::kFeature) || left.source != right.source ||
      left.dims != right.dims)
    return false;
  ImportValue value{.form = ValueForm::kGelu, .dims = left.dims};
  value.source = left.source;
  if (right.form == ValueForm::kSigmoid && !scaled) {
    node->Add(kActivation, {left.source}, Sizes(node->graph().ShapeOf(left.source)))
        .conf.mutable_activation_conf()
        ->set_type(SILU);
    node->Give(Sizes(left.dims));
    return true;
  }
  if (right.form != ValueForm::kErfPlusOne) return false;
  value.factor = 2 * right.factor * (scaled ? left.factor : 1);
  if (IsAboutEqual(value.factor, 1)) value.factor = 1;
  node->Give(std::move(value));
  return true;
}

// Reads images times one number for each channel, (N, c, 1, 1). Returns false for another node.
bool GiveScaledChannels(size_t x, size_t scale, NodeImport* node) {
  const Sizes images = node->FeatureDims(x), numbers = node->FeatureDims(scale);
  if (images.size() != 4 || numbers != Sizes{kFreeBatch, images[1], 1, 1} || numbers == images)
    return false;
  const LayerOutput source = node->Feature(x), factor = node->Feature(scale);
  const Sizes row = node->graph().ShapeOf(source), factors = node->graph().ShapeOf(factor);
  if (row != SizesFrom(images, 1) || (factors != Sizes{row[0], 1, 1} && factors != Sizes{row[0]}))
    node->Refuse(StrCat("multiplies features with rows of ", SizesText(row), " and ",
                        SizesText(factors), ": no layer reshapes them"));
  node->Add(kEltwise, {source, factor}, row)
      .conf.mutable_eltwise_conf()
      ->set_operation(EltwiseProto::PROD);
  node->Give(images);
  return true;
}

void ReadMul(NodeImport* node) {
  RequireTwoInputs(*node);
  for (size_t i : {0, 1})
    if (const auto number = node->Number(i)) return Scale(1 - i, i, *number, node);
  if (!node->IsConstant(0) && !node->IsConstant(1))
    for (const auto& give : {GiveProduct, GiveHardSwish, GiveScaledChannels})
      if (give(0, 1, node) || give(1, 0, node)) return;
  JoinFeatures(EltwiseProto::PROD, {1, 1}, node);
}

void ReadDiv(NodeImport* node) {
  RequireTwoInputs(*node);
  if (node->IsConstant(1) && ReadInputDivision(node)) return;
  const auto number = node->Number(1);
  if (!number || *number == 0) node->Refuse("must divide by one constant number that is not 0");
  Scale(0, 1, 1 / *number, node);
}

// Reads x W + b, with the constant b as input `bias`.
void AddBiasTo(const ImportValue& product, size_t bias, NodeImport* node) {
  const int64_t outputs = product.dims.back();
  const ImportedParam param = node->Weight(bias);
  if (param.dims.empty() || param.dims.size() > product.dims.size() ||
      ProductOf(param.dims) != outputs || param.dims.back() != outputs)
    node->Refuse(StrCat("adds a constant of ", SizesText(param.dims), " to ", outputs, " outputs"));
  const ImportValue value = product;
  ImportedLayer& layer = node->Add(kInnerProduct, {value.source}, {outputs});
  InnerProductProto& conf = *layer.conf.mutable_innerproduct_conf();
  conf.set_num_output(static_cast<int32_t>(outputs));
  conf.set_transpose(true);
  layer.params = {value.weight, param};
  node->Give(Sizes(value.dims));
}

void ReadAdd(NodeImport* node) {
  RequireTwoInputs(*node);
  for (size_t i : {0, 1}) {
    if (!node->IsConstant(i)) continue;
    ImportValue value = node->in(1 - i);
    if (value.form == ValueForm::kErf && node->Number(i) == 1.0f &&
        node->in(i).dims.size() <= value.dims.size()) {
      value.form = ValueForm::kErfPlusOne;
      value.factor = 1;
      return node->Give(std::move(value));
    }
    if (value.form == ValueForm::kMatrix && node->IsSoleReader(1 - i))
      return AddBiasTo(value, i, node);
    if (!value.is_constant() && node->Number(i) == 3.0f &&
        node->in(i).dims.size() <= value.dims.size()) {
      ImportValue sum{.form = ValueForm::kPlusThree, .dims = value.dims};
      sum.source = node->Feature(1 - i);
      return node->Give(std::move(sum));
    }
  }
  JoinFeatures(EltwiseProto::SUM, {1, 1}, node);
}

void ReadSub(NodeImport* node) {
  RequireTwoInputs(*node);
  if (node->IsConstant(1) && ReadInputDifference(node)) return;
  JoinFeatures(EltwiseProto::SUM, {1, -1}, node);
}

void ReadSum(NodeImport* node) {
  JoinFeatures(EltwiseProto::SUM, std::vector<float>(node->inputs(), 1), node);
}

void ReadMax(NodeImport* node) {
  JoinFeatures(EltwiseProto::MAX, std::vector<float>(node->inputs(), 1), node);
}

SINGA_REGISTER_ONNX_IMPORT(Mul, ReadMul);
SINGA_REGISTER_ONNX_IMPORT(Div, ReadDiv);
SINGA_REGISTER_ONNX_IMPORT(Add, ReadAdd);
SINGA_REGISTER_ONNX_IMPORT(Sub, ReadSub);
SINGA_REGISTER_ONNX_IMPORT(Sum, ReadSum);
SINGA_REGISTER_ONNX_IMPORT(Max, ReadMax);

}  // namespace
}  // namespace singa
