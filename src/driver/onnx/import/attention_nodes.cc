// Reads the nodes of an attention: products of queries, keys and values, their mask and softmax.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "driver/onnx/import/attention_import.h"
#include "driver/onnx/import/attention_layer.h"

namespace singa {
namespace {

constexpr const char* kNoHeads =
    "multiplies features in an order that is no attention: a layer multiplies heads of all time "
    "steps of each sequence";

// An input as queries, keys or values. `lead` has the dimensions before the last two, which are
// sequences and heads; `rows` and `columns` are the last two.
struct HeadView {
  LayerOutput feature = {};
  float factor = 1;
  UnitView view = {};
  ViewDim lead = {}, rows = {}, columns = {};
};

HeadView HeadsOf(const NodeImport& node, size_t i) {
  HeadView heads;
  const Sizes& dims = node.FeatureDims(i);
  const ImportValue& value = node.in(i);
  if (value.form == ValueForm::kView || value.form == ValueForm::kScaled) {
    heads.feature = value.source;
    heads.factor = value.factor;
  } else {
    heads.feature = node.Feature(i);
  }
  heads.view = value.form == ValueForm::kView ? value.view : ViewInOrder(dims);
  const std::vector<ViewDim>& all = heads.view.dims;
  if (all.size() < 2) node.Refuse(kNoHeads);
  heads.lead = PartsOf({all.begin(), all.end() - 2});
  heads.rows = all[all.size() - 2];
  heads.columns = all.back();
  return heads;
}

bool AreAllSteps(const NodeImport& node, const ViewDim& dim) {
  if (node.state().steps == 1) return dim.empty();
  return dim.size() == 1 && dim[0].kind == ViewPart::kSteps;
}

// Returns the number of units of a head, which lie side by side; 0: `dim` is not units of a head.
int64_t WidthOf(const ViewDim& dim) {
  if (dim.empty()) return 1;
  const bool units = dim.size() == 1 && dim[0].kind == ViewPart::kUnits && dim[0].stride == 1;
  return units ? dim[0].size : 0;
}

// Returns the number of heads if `lead` has the sequences and heads of this width, else 0.
int64_t CountHeads(const ViewDim& lead, int64_t width) {
  int64_t heads = 1, batches = 0;
  for (const ViewPart& part : lead) {
    const bool units = part.kind == ViewPart::kUnits;
    if (part.kind == ViewPart::kSteps || (units && (heads > 1 || part.stride != width))) return 0;
    if (units) heads = part.size;
    if (part.kind == ViewPart::kBatch) ++batches;
  }
  return batches == 1 ? heads : 0;
}

// Reads the product of queries and keys.
void GiveScores(NodeImport* node) {
  const HeadView q = HeadsOf(*node, 0), k = HeadsOf(*node, 1);
  ImportValue scores{.form = ValueForm::kScores};
  AttentionSources& attention = scores.attention;
  attention.width = WidthOf(q.columns);
  attention.heads = CountHeads(q.lead, attention.width);
  if (attention.width == 0 || attention.heads == 0 || k.lead != q.lead || k.rows != q.columns ||
      k.columns != q.rows || !AreAllSteps(*node, q.rows))
    node->Refuse(kNoHeads);
  attention.lead = q.lead;
  attention.q = {q.feature, q.view.first};
  attention.k = {k.feature, k.view.first};
  scores.factor = q.factor * k.factor;
  scores.dims = DimsOf(q.view);
  scores.dims.back() = scores.dims[scores.dims.size() - 2];
  node->Give(std::move(scores));
}

// Reads the product of a softmax and values.
void GiveAttended(NodeImport* node) {
  ImportValue attended = node->in(0);
  const HeadView v = HeadsOf(*node, 1);
  AttentionSources& attention = attended.attention;
  if (v.lead != attention.lead || WidthOf(v.columns) != attention.width || v.factor != 1 ||
      !AreAllSteps(*node, v.rows))
    node->Refuse(kNoHeads);
  attention.v = {v.feature, v.view.first};
  attended.form = ValueForm::kAttended;
  attended.view = {.dims = v.view.dims};
  attended.dims = DimsOf(v.view);
  node->Give(std::move(attended));
}

// Returns the value, a kAttended, times `weight`. Its units must be in the order of its heads.
ImportValue Projected(const NodeImport& node, const ImportedParam& weight, bool transposed) {
  ImportValue value = node.in(0);
  const int64_t units = value.attention.heads * value.attention.width;
  const Sizes before(value.dims.begin(),
                     value.dims.end() - std::min<int64_t>(1, std::ssize(value.dims)));
  if (value.dims.empty() || UnitsOf(before) != 1 || value.dims.back() != units ||
      !IsInOrder(value.view))
    node.Refuse(StrCat("multiplies ", SizesText(value.dims), " behind an attention; a layer has ",
                       "all heads of a time step side by side there"));
  if (weight.dims != Sizes{units, units})
    node.Refuse(StrCat("multiplies an attention of ", units, " units by a matrix of ",
                       SizesText(weight.dims), "; a layer's is square"));
  value.form = ValueForm::kProjected;
  value.weight = weight;
  value.weight.transposed = transposed;
  value.view = {};
  return value;
}

void GiveAttention(ImportValue value, const ImportedParam* bias, NodeImport* node) {
  const Sizes dims = value.dims;
  value.name = node->node().outputs.empty() ? node->node().name : node->node().outputs[0];
  value.node = node->index();
  AddAttentionLayer(value, bias, &node->graph());
  node->Give(dims);
}

// Multiplies scores or heads by a number.
bool ScalePart(size_t x, size_t number, bool divides, NodeImport* node) {
  if (!node->Has(x) || !node->Has(number)) return false;
  ImportValue value = node->in(x);
  if (value.form != ValueForm::kScores && value.form != ValueForm::kView) return false;
  const auto factor = node->Number(number);
  if (!factor) node->Refuse("multiplies a part of an attention by other than one number");
  if (value.attention.causal && !(*factor > 0))
    node->Refuse(StrCat("multiplies the mask of an attention by ", *factor));
  value.factor = divides ? value.factor / *factor : value.factor * *factor;
  node->Give(std::move(value));
  return true;
}

bool ReadPartMul(NodeImport* node) {
  return ScalePart(0, 1, false, node) || ScalePart(1, 0, false, node);
}

bool ReadPartDiv(NodeImport* node) { return ScalePart(0, 1, true, node); }

// Returns whether a value of sizes `mask` has a number for each pair of time steps of `scores`. It
// may have one for all sequences or heads.
bool FitsScores(const NodeImport& node, const Sizes& mask, const Sizes& scores) {
  if (mask.size() < 2 || mask.size() > scores.size()) return false;
  for (size_t behind = 1; behind <= mask.size(); ++behind) {
    const int64_t size = mask[mask.size() - behind], own = scores[scores.size() - behind];
    const bool all_steps = own == kFreeSteps && size == node.state().steps;
    if (size != own && !all_steps && !(behind > 2 && size == 1)) return false;
  }
  return true;
}

// Returns whether the constant is 0 where a step reads itself and those before it, and very small
// elsewhere.
bool IsFutureMask(const NodeImport& node, size_t i) {
  constexpr float kSmall = -1e4f;
  const int64_t steps = node.state().steps;
  if (!node.in(i).tensor || ProductOf(node.in(i).dims) != steps * steps) return false;
  const std::vector<float> mask = node.Floats(i);
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t s = 0; s < steps; ++s) {
      const float value = mask[t * steps + s];
      if (s <= t ? value != 0 : !(value <= kSmall)) return false;
    }
  return true;
}

// Reads the mask of later time steps: -infinity above the diagonal of a square, else 0.
void ReadTrilu(NodeImport* node) {
  const ImportValue& value = node->in(0);
  const bool above = node->Int("upper", 1) != 0 && node->Has(1) && node->Integers(1) == Sizes{1};
  const size_t rank = value.dims.size();
  if (value.form != ValueForm::kFilled || !above || !(value.factor < -1e4f) || rank < 2 ||
      value.dims[rank - 1] != value.dims[rank - 2])
    node->Refuse("has a layer only as the mask of an attention");
  node->Give({.form = ValueForm::kFuture, .dims = value.dims});
}

SINGA_REGISTER_ONNX_PART(Mul, ReadPartMul);
SINGA_REGISTER_ONNX_PART(Div, ReadPartDiv);
SINGA_REGISTER_ONNX_IMPORT(Trilu, ReadTrilu);

}  // namespace

// Reads a mask of the scores, and the bias of the last product.
bool ReadAttentionAdd(NodeImport* node) {
  for (size_t i : {0, 1}) {
    if (node->inputs() != 2 || !node->Has(i) || !node->Has(1 - i)) continue;
    ImportValue value = node->in(i);
    const ImportValue& other = node->in(1 - i);
    if (value.form == ValueForm::kProjected && other.is_constant()) {
      const ImportedParam bias = node->Bias(1 - i, value.weight.dims[0]);
      GiveAttention(value, &bias, node);
      return true;
    }
    if (value.form != ValueForm::kScores) continue;
    const bool future =
        FitsScores(*node, other.dims, value.dims) &&
        (other.form == ValueForm::kFuture || (other.is_constant() && IsFutureMask(*node, 1 - i)));
    if (!future) node->Refuse("adds other than the mask of later time steps, which a layer has");
    value.attention.causal = true;
    node->Give(std::move(value));
    return true;
  }
  return false;
}

bool ReadAttentionMatMul(NodeImport* node) {
  if (node->inputs() != 2 || node->IsConstant(0)) return false;
  const ValueForm first = node->in(0).form, second = node->in(1).form;
  if (first == ValueForm::kAttended && node->IsConstant(1)) {
    node->Give(Projected(*node, node->Matrix(), true));
    return true;
  }
  if (node->IsConstant(1)) return false;
  if (first == ValueForm::kShares)
    GiveAttended(node);
  else if (first == ValueForm::kView || second == ValueForm::kView)
    GiveScores(node);
  else
    return false;
  return true;
}

bool ReadAttentionSoftmax(size_t axis, NodeImport* node) {
  ImportValue value = node->in(0);
  if (value.form != ValueForm::kScores) return false;
  if (axis + 1 != value.dims.size()) node->Refuse("is over other time steps than those it reads");
  value.form = ValueForm::kShares;
  node->Give(std::move(value));
  return true;
}

void ReadAttentionGemm(const ImportedParam& weight, bool transposed, NodeImport* node) {
  const ImportValue value = Projected(*node, weight, transposed);
  if (!node->Has(2)) return GiveAttention(value, nullptr, node);
  const ImportedParam bias = node->Bias(2, weight.dims[0]);
  GiveAttention(value, &bias, node);
}

}  // namespace singa
