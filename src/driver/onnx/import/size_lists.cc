#include "driver/onnx/import/size_lists.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "driver/onnx/import/step_nodes.h"
#include "driver/onnx/import/text_import.h"
#include "onnx/onnx.pb.h"

namespace singa {
namespace {

// Gives `integers`, a list or, if `is_number`, its one number.
void GiveIntegers(const Sizes& integers, bool is_number, NodeImport* node) {
  if (std::ssize(integers) > kMostSizes)
    node->Refuse("computes a list of integers that is too long");
  ImportValue value{.form = ValueForm::kConstant};
  if (!is_number) value.dims = {std::ssize(integers)};
  value.integers = integers;
  node->Give(std::move(value));
}

void ReadConstant(NodeImport* node) {
  const OnnxAttribute* const value = node->node().Find("value");
  if (value && value->tensor)
    return node->Give(
        {.form = ValueForm::kConstant, .dims = value->tensor->dims, .tensor = &*value->tensor});
  if (node->node().Find("value_int")) return GiveIntegers({node->Int("value_int", 0)}, true, node);
  if (node->node().Find("value_ints")) return GiveIntegers(node->Ints("value_ints"), false, node);
  node->Refuse("is a constant of a kind that an import does not read");
}

void ReadShape(NodeImport* node) {
  const Sizes dims = node->in(0).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const auto bound = [&](const char* name, int64_t missing) {
    return ClampedPlace(rank, node->Int(name, missing));
  };
  const int64_t begin = bound("start", 0), end = bound("end", rank);
  GiveIntegers(begin < end ? Sizes(dims.begin() + begin, dims.begin() + end) : Sizes(), false,
               node);
}

// Gathers a list's integers, rows of a table, or one time step.
void ReadGather(NodeImport* node) {
  if (!node->IsConstant(0)) return ReadOneOf(node);
  if (node->HasFloats(0)) return ReadTableRows(node);
  const Sizes list = node->Integers(0), indices = node->Integers(1);
  const auto size = static_cast<int64_t>(list.size());
  Sizes found;
  for (int64_t index : indices) {
    if (node->in(0).dims.size() != 1 || index < -size || index >= size)
      node->Refuse("reads beyond its list");
    found.push_back(list[index < 0 ? index + size : index]);
  }
  GiveIntegers(found, node->in(1).dims.empty(), node);
}

// Casts keep floats as floats, and integers as integers. One number of a row may be an index.
void ReadCast(NodeImport* node) {
  using Tensor = onnx::TensorProto;
  const int64_t to = node->Int("to", 0);
  const bool floats = to == Tensor::FLOAT || to == Tensor::FLOAT16 || to == Tensor::DOUBLE ||
                      to == Tensor::BFLOAT16;
  const bool integers = to == Tensor::INT64 || to == Tensor::INT32;
  ImportValue value = node->in(0);
  const bool constant = value.is_constant();
  const bool reads_floats = constant ? node->HasFloats(0) : value.form != ValueForm::kIndices;
  if (reads_floats ? floats : integers) return node->GiveSame(value.dims);
  if (constant) node->Refuse("turns a constant into numbers of another kind");
  if (!reads_floats) node->Refuse("turns indices into numbers of another kind");
  if (!integers || node->RowSize(0) != 1) node->Refuse("turns a feature into other than floats");
  value.source = node->Feature(0);
  value.form = ValueForm::kIndices;
  node->Give(std::move(value));
}

SINGA_REGISTER_ONNX_IMPORT(Constant, ReadConstant);
SINGA_REGISTER_ONNX_IMPORT(Shape, ReadShape);
SINGA_REGISTER_ONNX_IMPORT(Gather, ReadGather);
SINGA_REGISTER_ONNX_IMPORT(Cast, ReadCast);

}  // namespace

int64_t ClampedPlace(int64_t size, int64_t place) {
  return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
}

void GiveJoinedLists(NodeImport* node) {
  Sizes all;
  for (size_t i = 0; i < node->inputs(); ++i) {
    const Sizes part = node->Integers(i);
    all.insert(all.end(), part.begin(), part.end());
    if (std::ssize(all) > kMostSizes) break;
  }
  GiveIntegers(all, false, node);
}

void GivePartOfList(NodeImport* node) {
  const Sizes list = node->Integers(0), begin = node->Integers(1), end = node->Integers(2);
  const auto size = static_cast<int64_t>(list.size());
  const bool step = !node->Has(4) || node->Integers(4) == Sizes{1};
  if (begin.size() != 1 || end.size() != 1 || !step) node->Refuse("cuts a list in an unknown way");
  const int64_t from = ClampedPlace(size, begin[0]), to = ClampedPlace(size, end[0]);
  GiveIntegers(from < to ? Sizes(list.begin() + from, list.begin() + to) : Sizes(), false, node);
}

}  // namespace singa
