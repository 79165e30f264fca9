// Reads Slice, Gather, Split and Concat of values with time steps, and values of one number.
#include <algorithm>
#include <utility>

#include "driver/onnx/import/position_import.h"
#include "driver/onnx/import/step_nodes.h"
#include "singa/tensor/shape.h"

namespace singa {
namespace {

// Returns whether all rows are the first dimension. Other readers take such values.
bool HasRowsFirst(const Sizes& dims) {
  return !dims.empty() && IsFree(dims[0]) && std::none_of(dims.begin() + 1, dims.end(), IsFree);
}

bool IsFeatureOfSteps(const NodeImport& node, size_t i) {
  if (!node.Has(i) || node.IsConstant(i)) return false;
  const ImportValue& value = node.in(i);
  return value.view.dims.empty() && !HasRowsFirst(value.dims);
}

// Sets output 0: the last time step of input 0, of these sizes.
void GiveLastStep(const Sizes& dims, NodeImport* node) {
  ImportValue value{.form = ValueForm::kFeature, .dims = dims};
  value.source = node->Feature(0);
  const LayerType type = node->graph().layer(value.source.layer).conf.type();
  if (type == kCharRNN || type == kTimeSteps || value.source.last)
    node->Refuse("cuts time steps of the input, which no layer does");
  value.source.last = true;
  node->Give(std::move(value));
}

bool IsLastStep(const NodeImport& node, int64_t index) {
  return index == -1 || (index > 0 && index == node.state().fixed_steps - 1);
}

// Reads a Slice of the last step, or of a table of positions.
bool ReadStepSlice(NodeImport* node) {
  if (ReadPositionSlice(node)) return true;
  if (!IsFeatureOfSteps(*node, 0)) return false;
  const Sizes begin = node->Has(1) ? node->Integers(1) : node->Ints("starts"),
              end = node->Has(2) ? node->Integers(2) : node->Ints("ends");
  const Sizes axes = node->Has(3) ? node->Integers(3) : node->Ints("axes");
  Sizes dims = node->FeatureDims(0);
  const bool step = !node->Has(4) || node->Integers(4) == Sizes{1};
  if (begin.size() != 1 || end.size() != 1 || axes.size() > 1 || !step)
    node->Refuse("cuts several dimensions of time steps, which no layer does");
  const int64_t axis = node->Axis(axes.empty() ? 0 : axes[0], dims);
  if (dims[axis] != kFreeSteps || !IsLastStep(*node, begin[0]) ||
      !(end[0] == kFreeSteps || end[0] >= node->state().steps))
    node->Refuse(StrCat("cuts dimension ", axis, " of ", SizesText(dims),
                        "; a layer reads all time steps, or the last"));
  dims[axis] = 1;
  GiveLastStep(dims, node);
  return true;
}

// Cuts queries, keys and values apart.
bool ReadHeadSplit(NodeImport* node) {
  if (!node->Has(0) || node->IsConstant(0)) return false;
  ImportValue value = node->in(0);
  const Sizes dims = value.dims;
  if (value.view.dims.empty()) {
    if (HasRowsFirst(dims)) return false;
    value.source = node->Feature(0);
    value.view = ViewInOrder(dims);
    value.form = ValueForm::kView;
    value.factor = 1;
  }
  const auto axis = static_cast<size_t>(node->Axis(node->Int("axis", 0), dims));
  const auto count = static_cast<int64_t>(node->node().outputs.size());
  const ViewDim& dim = value.view.dims[axis];
  const bool units = dim.size() == 1 && dim[0].kind == ViewPart::kUnits;
  if (value.form != ValueForm::kView || !units || count < 1 || dims[axis] % count != 0)
    node->Refuse(StrCat("cuts dimension ", axis, " of ", SizesText(dims), ": no layer does so"));
  const int64_t each = dims[axis] / count, stride = dim[0].stride;
  const Sizes pieces = node->Has(1) ? node->Integers(1) : node->Ints("split");
  if (!pieces.empty() && pieces != Sizes(count, each))
    node->Refuse("cuts heads into pieces that differ");
  value.view.dims[axis] = each == 1 ? ViewDim{} : ViewDim{{ViewPart::kUnits, each, stride}};
  value.dims[axis] = each;
  const int64_t first = value.view.first;
  for (int64_t k = 0; k < count; ++k) {
    value.view.first = first + k * each * stride;
    node->Give(value, k);
  }
  return true;
}

bool RefuseStepConcat(NodeImport* node) {
  for (size_t i = 0; i < node->inputs(); ++i)
    if (IsFeatureOfSteps(*node, i))
      node->Refuse(StrCat("joins ", SizesText(node->in(i).dims),
                          "; a layer joins the units of rows, in which time steps come first"));
  return false;
}

// Gives a value whose numbers are all equal: a mask, or a first state.
void GiveFilled(float number, const Sizes& dims, NodeImport* node) {
  const bool empty =
      std::any_of(dims.begin(), dims.end(), [](int64_t size) { return size < 1 && !IsFree(size); });
  if (empty || UnitsOf(dims) > Shape::kMaxSize)
    node->Refuse(StrCat("fills ", SizesText(dims), ", which is empty or too large"));
  ImportValue filled{.form = ValueForm::kFilled, .dims = dims};
  filled.factor = number;
  node->Give(std::move(filled));
}

bool ReadExpandedNumber(NodeImport* node) {
  if (!node->HasFloats(0) || node->in(0).tensor->size() != 1 || !node->IsConstant(1)) return false;
  GiveFilled(*node->Number(0), node->Integers(1), node);
  return true;
}

bool ReadConstantOfShape(NodeImport* node) {
  const OnnxAttribute* const value = node->node().Find("value");
  if (value &&
      (!value->tensor || value->tensor->size() != 1 || !TensorValues::HasFloats(*value->tensor)))
    return false;
  GiveFilled(value ? node->state().tensors.Floats(*value->tensor)[0] : 0, node->Integers(0), node);
  return true;
}

SINGA_REGISTER_ONNX_PART(Slice, ReadStepSlice);
SINGA_REGISTER_ONNX_PART(Split, ReadHeadSplit);
SINGA_REGISTER_ONNX_PART(Concat, RefuseStepConcat);
SINGA_REGISTER_ONNX_PART(Expand, ReadExpandedNumber);
SINGA_REGISTER_ONNX_PART(ConstantOfShape, ReadConstantOfShape);

}  // namespace

void ReadOneOf(NodeImport* node) {
  ImportValue value = node->in(0);
  const Sizes index = node->Integers(1), dims = node->FeatureDims(0);
  const auto axis = node->Axis(node->Int("axis", 0), dims);
  if (index.size() != 1 || node->in(1).dims.size() > 1) node->Refuse("reads parts of a feature");
  const bool keeps = node->in(1).dims.size() == 1;
  Sizes given = dims;
  given[axis] = 1;
  if (!keeps) given.erase(given.begin() + axis);
  if (value.view.dims.empty()) {
    if (dims[axis] != kFreeSteps || !IsLastStep(*node, index[0]))
      node->Refuse("reads rows of a table, or parts of a feature");
    return GiveLastStep(given, node);
  }
  const ViewDim dim = value.view.dims[axis];
  const bool units = dim.size() == 1 && dim[0].kind == ViewPart::kUnits;
  const int64_t place = units && index[0] < 0 ? index[0] + dim[0].size : index[0];
  if (!units || value.form != ValueForm::kView || place < 0 || place >= dim[0].size)
    node->Refuse("reads one of other than queries, keys and values");
  value.view.first += place * dim[0].stride;
  value.view.dims[axis].clear();
  if (!keeps) value.view.dims.erase(value.view.dims.begin() + axis);
  value.dims = given;
  node->Give(std::move(value));
}

}  // namespace singa
