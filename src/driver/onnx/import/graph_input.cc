#include "driver/onnx/import/graph_input.h"

#include <climits>
#include <utility>

#include "io/checkpoint/json_text.h"
#include "onnx/onnx.pb.h"
#include "singa/base/error.h"
#include "singa/tensor/shape.h"

namespace singa {
namespace {

std::string InputText(const OnnxValueInfo& input) {
  return StrCat("input ", Quote(input.name), " ");
}

// Returns the sizes of a row: those of the model, or of -shape.
Sizes InputRow(const OnnxValueInfo& input, const std::string& file, const Sizes& input_shape) {
  const Sizes own = SizesFrom(input.dims, 1);
  if (input_shape.empty() && own.empty())
    throw DataError(file, -1, InputText(input) + "has no shape of rows; -shape c,h,w gives it");
  if (input_shape.empty() || own.empty()) return input_shape.empty() ? own : input_shape;
  bool fits = own.size() == input_shape.size();
  for (size_t i = 0; fits && i < own.size(); ++i) fits = own[i] < 0 || own[i] == input_shape[i];
  if (!fits)
    throw Error(kExitUsage, StrCat("-shape: is ", SizesText(input_shape), ", ", InputText(input),
                                   "has rows of ", SizesText(own), ", where -1 is a free size"));
  return input_shape;
}

// Returns the model's one input.
const OnnxValueInfo& OneInput(const ImportState& state, const std::string& file) {
  const OnnxValueInfo* input = nullptr;
  for (const OnnxValueInfo& one : state.model.inputs) {
    if (state.values.Has(one.name)) continue;  // old files list constants as inputs
    if (input)
      throw DataError(file, -1,
                      StrCat("has two inputs or more, ", Quote(input->name), " and ",
                             Quote(one.name), "; an import reads models of one"));
    input = &one;
  }
  if (!input) throw DataError(file, -1, "has no input");
  return *input;
}

void CheckRow(const OnnxValueInfo& input, const Sizes& row, const std::string& file) {
  for (int64_t size : row)
    if (size < 0)
      throw DataError(file, -1,
                      InputText(input) + "has a free size beside the batch; -shape c,h,w gives it");
  if (!IsRowOfALayer(row))
    throw DataError(
        file, -1,
        StrCat(InputText(input), "has rows of ", SizesText(row), "; a row has at most ",
               Shape::kMaxDims - 1, " sizes, each from 1 to ", INT_MAX, ", and 2^40 numbers"));
}

}  // namespace

void AddGraphInput(const std::string& file, const Sizes& input_shape, ImportState* state) {
  const OnnxValueInfo& input = OneInput(*state, file);
  if (input.type != onnx::TensorProto::FLOAT && input.type != onnx::TensorProto::FLOAT16 &&
      input.type != onnx::TensorProto::DOUBLE)
    throw DataError(file, -1,
                    InputText(input) +
                        "has no floating-point numbers; models of other inputs, such as "
                        "texts, are not imported");
  const Sizes row = InputRow(input, file, input_shape);
  CheckRow(input, row, file);
  if (!input.dims.empty()) state->fixed_batch = input.dims[0];
  state->layers.AddLayer(kRecordInput, input.name, -1, {}, row);
  for (int64_t size : row) state->layers.input_conf().add_shape(static_cast<int32_t>(size));
  ImportValue value{.form = ValueForm::kFeature, .dims = row, .name = input.name};
  value.dims.insert(value.dims.begin(), kFreeBatch);
  value.source = {0, 0};
  if (state->values.Readers(input.name) > 1) state->layers.MarkShared(0);
  state->values.Set(std::move(value));
}

}  // namespace singa
