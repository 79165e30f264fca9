// Reads operators that change the sizes of a value. They become no layers: each layer reads a
// feature in the sizes that it needs. A new order of units becomes a view, for an attention.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "driver/onnx/import/node_import.h"
#include "driver/onnx/import/unit_view.h"

namespace singa {
namespace {

void ReadSame(NodeImport* node) { node->GiveSame(Sizes(node->in(0).dims)); }

void ReadDropout(NodeImport* node) {
  if (node->node().outputs.size() > 1 && !node->node().outputs[1].empty())
    node->Refuse("gives its mask, which no layer does");
  ReadSame(node);
}

UnitView ViewOfInput(const NodeImport& node) {
  const Sizes& dims = node.FeatureDims(0);
  const ImportValue& value = node.in(0);
  return value.view.dims.empty() ? ViewInOrder(dims) : value.view;
}

// Returns whether the feature may be the queries, keys or values of an attention.
bool IsProjection(const NodeImport& node, LayerOutput x) {
  const LayerType type = node.graph().layer(x.layer).conf.type();
  return type == kInnerProduct || type == kSlice;
}

// Returns whether a view of `feature` has all its numbers, in its order.
bool IsWhole(const NodeImport& node, const UnitView& view, LayerOutput feature) {
  return IsInOrder(view) && UnitsOf(DimsOf(view)) == UnitsOf(node.graph().ShapeOf(feature));
}

// Sets output 0: input 0 in the order of `view`. `refusal`: the reason if a layer reads this order.
void GiveView(const UnitView& view, const std::string& refusal, NodeImport* node) {
  ImportValue value = node->in(0);
  value.dims = DimsOf(view);
  if (value.view.dims.empty()) {
    const bool scaled = value.form == ValueForm::kScaled && IsProjection(*node, value.source);
    if (IsInOrder(view) && !scaled) return node->GiveSame(value.dims);
    if (!scaled) {
      value.source = node->Feature(0);
      value.factor = 1;
    }
    if (!IsProjection(*node, value.source))
      value.refusal = StrCat(node->node().Text(), ": ", refusal);
    value.form = ValueForm::kView;
  }
  value.view = view;
  if (value.form == ValueForm::kView && value.factor == 1 && IsWhole(*node, view, value.source)) {
    value.form = ValueForm::kFeature;
    value.view = {};
    value.refusal.clear();
  }
  node->Give(std::move(value));
}

void ReadFlatten(NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  const int64_t axis = node->Axis(node->Int("axis", 1), dims);
  const Sizes before(dims.begin(), dims.begin() + axis), units = SizesFrom(dims, axis);
  if (UnitsOf(before) != 1 || std::any_of(units.begin(), units.end(), IsFree))
    node->Refuse(StrCat("flattens ", SizesText(dims), " at dimension ", axis,
                        "; a layer's rows begin where its units do"));
  const UnitView rows = {.dims = {PartsOf(ViewInOrder(before).dims)}};
  node->GiveSame({DimsOf(rows)[0], node->RowSize(0)});
}

void ReadReshape(NodeImport* node) {
  const Sizes from = node->in(0).dims;
  Sizes wanted = node->Has(1) ? node->Integers(1) : node->Ints("shape");
  for (size_t i = 0; i < wanted.size() && i < from.size(); ++i)
    if (wanted[i] == 0 && node->Int("allowzero", 0) == 0) wanted[i] = from[i];
  if (node->IsConstant(0)) {
    const auto sizes = SolvedSizes(wanted, ProductOf(from));
    if (!sizes) node->Refuse("reshapes a constant to another size");
    return node->GiveSame(*sizes);
  }
  if (wanted.size() > kMostRank)
    node->Refuse(StrCat("reshapes to ", wanted.size(), " dimensions; the most are ", kMostRank));
  const std::string refusal = StrCat("reshapes ", SizesText(from), " to ", SizesText(wanted),
                                     "; a layer keeps each row whole");
  const auto view = ReshapedView(ViewOfInput(*node), wanted, node->state().fixed_batch,
                                 node->state().fixed_steps);
  if (!view) node->Refuse(refusal);
  GiveView(*view, refusal, node);
}

// Returns the axes of a Squeeze or Unsqueeze, for a value of `rank` dimensions, sorted.
Sizes AxesOf(const NodeImport& node, size_t rank) {
  Sizes axes = node.Has(1) ? node.Integers(1) : node.Ints("axes");
  const Sizes dims(rank, 1);
  for (int64_t& axis : axes) axis = node.Axis(axis, dims);
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    node.Refuse("names a dimension twice");
  return axes;
}

// Sets output 0: input 0 with or without dimensions of 1.
void GiveOnes(const Sizes& dims, std::vector<ViewDim> view_dims, NodeImport* node) {
  if (node->in(0).view.dims.empty()) return node->GiveSame(dims);
  GiveView({.dims = std::move(view_dims), .first = node->in(0).view.first}, "", node);
}

void ReadSqueeze(NodeImport* node) {
  const Sizes from = node->in(0).dims;
  const std::vector<ViewDim> parts = node->in(0).view.dims;
  Sizes axes = AxesOf(*node, from.size()), dims;
  std::vector<ViewDim> kept;
  if (axes.empty())
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i] == 1) axes.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < from.size(); ++i) {
    const bool out = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
    if (out && from[i] != 1)
      node->Refuse(StrCat("removes dimension ", i, " of ", SizesText(from), ", which is not 1"));
    if (out) continue;
    dims.push_back(from[i]);
    if (!parts.empty()) kept.push_back(parts[i]);
  }
  GiveOnes(dims, std::move(kept), node);
}

void ReadUnsqueeze(NodeImport* node) {
  Sizes dims = node->in(0).dims;
  std::vector<ViewDim> parts = node->in(0).view.dims;
  const size_t added = node->Has(1) ? node->Integers(1).size() : node->Ints("axes").size();
  if (dims.size() + added > 64) node->Refuse("adds too many dimensions");
  for (int64_t axis : AxesOf(*node, dims.size() + added)) {
    dims.insert(dims.begin() + axis, 1);
    if (!parts.empty()) parts.insert(parts.begin() + axis, ViewDim{});
  }
  GiveOnes(dims, std::move(parts), node);
}

// Makes time steps of rows that are whole sequences.
void AddTimeSteps(const Sizes& dims, NodeImport* node) {
  ImportState& state = node->state();
  if (state.steps > 1 && state.steps != dims[0])
    node->Refuse(StrCat("has ", dims[0], " time steps, and the model has ", state.steps));
  state.steps = state.fixed_steps = dims[0];
  const Sizes row = {UnitsOf(SizesFrom(dims, 1))};
  ImportedLayer& layer = node->Add(kTimeSteps, {node->Feature(0)}, row);
  layer.steps = static_cast<int>(state.steps);
  layer.conf.mutable_time_steps_conf()->set_unroll_len(layer.steps);
  Sizes given = dims;
  given[0] = kFreeSteps;
  node->Give(given);
}

// Returns whether a transpose of `from` puts the second dimension of rows first: records of whole
// sequences, (N, T, units) or (N, T), become time steps.
bool GivesTimeSteps(const NodeImport& node, const Sizes& from, const Sizes& order) {
  const bool turns = order == Sizes{1, 0, 2} || order == Sizes{1, 0};
  if (!turns || from[0] != kFreeBatch || from[1] <= 1 || from[1] > kMostSteps) return false;
  const LayerOutput x = node.Feature(0);
  return node.graph().StepsOf(x) == 1 && SizesFrom(from, 1) == node.graph().ShapeOf(x);
}

// A transpose becomes no layer if it moves only sizes of 1, or only changes the order of rows:
// layers compute each row alone.
void ReadTranspose(NodeImport* node) {
  const Sizes from = node->FeatureDims(0), order = node->Ints("perm");
  Sizes sorted = order, dims;
  std::sort(sorted.begin(), sorted.end());
  bool fits = order.size() == from.size();
  for (size_t i = 0; i < sorted.size(); ++i) fits = fits && sorted[i] == static_cast<int64_t>(i);
  if (!fits) node->Refuse(StrCat("perm ", SizesText(order), " does not fit ", SizesText(from)));
  for (int64_t dim : order) dims.push_back(from[dim]);
  const bool in_order = node->in(0).view.dims.empty();
  if (in_order && GivesTimeSteps(*node, from, order)) return AddTimeSteps(dims, node);
  GiveView(Transposed(ViewOfInput(*node), order),
           StrCat("turns ", SizesText(from), " to ", SizesText(dims),
                  "; no layer changes the order of numbers"),
           node);
}

SINGA_REGISTER_ONNX_IMPORT(Identity, ReadSame);
SINGA_REGISTER_ONNX_IMPORT(Dropout, ReadDropout);
SINGA_REGISTER_ONNX_IMPORT(Flatten, ReadFlatten);
SINGA_REGISTER_ONNX_IMPORT(Reshape, ReadReshape);
SINGA_REGISTER_ONNX_IMPORT(Squeeze, ReadSqueeze);
SINGA_REGISTER_ONNX_IMPORT(Unsqueeze, ReadUnsqueeze);
SINGA_REGISTER_ONNX_IMPORT(Transpose, ReadTranspose);

}  // namespace
}  // namespace singa
