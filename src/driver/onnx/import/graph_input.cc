#include "driver/onnx/import/graph_input.h"

#include <charconv>
#include <climits>
#include <set>
#include <utility>

#include "io/checkpoint/json_text.h"
#include "onnx/onnx.pb.h"
#include "singa/base/error.h"
#include "singa/tensor/shape.h"

namespace singa {
namespace {

constexpr size_t kFirstStateInput = 5;  // of GRU, LSTM and RNN

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

// Returns the values that only recurrent nodes read, as their first state.
std::set<std::string> FirstStates(const OnnxModel& model) {
  std::set<std::string> states, others;
  for (const OnnxNode& node : model.nodes) {
    const bool recurrent = node.op == "GRU" || node.op == "LSTM" || node.op == "RNN";
    for (size_t i = 0; i < node.inputs.size(); ++i)
      (recurrent && i >= kFirstStateInput ? states : others).insert(node.inputs[i]);
  }
  for (const std::string& other : others) states.erase(other);
  return states;
}

// Returns the only input that is not a first state, and adds the values of first states.
const OnnxValueInfo& OneInput(const std::string& file, ImportState* state) {
  const OnnxValueInfo* input = nullptr;
  const std::set<std::string> states = FirstStates(state->model);
  for (const OnnxValueInfo& one : state->model.inputs) {
    if (state->values.Has(one.name)) continue;  // old files list constants as inputs
    if (states.contains(one.name)) {
      state->values.Set({.form = ValueForm::kState, .dims = one.dims, .name = one.name});
      continue;
    }
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
               Shape::kMaxDims - 1, " sizes, each from 1 to ", INT_MAX, ", and 2^28 numbers"));
}

// Adds an input of floats, whose rows are records.
void AddRecords(const OnnxValueInfo& input, const std::string& file, const Sizes& input_shape,
                ImportState* state) {
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

// Returns the number of time steps in the metadata that singa writes, or `missing`.
int64_t StepsInMetadata(const OnnxModel& model, int64_t missing) {
  const auto entry = model.metadata.find("time_steps");
  if (entry == model.metadata.end()) return missing;
  const std::string& text = entry->second;
  const size_t begin = text.find_last_not_of("0123456789") + 1;  // 0 if all are digits
  int64_t steps = 0;
  const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + text.size(), steps);
  return error == std::errc() && steps >= 1 && steps <= kMostSteps ? steps : missing;
}

// Adds an input of integers: a text of characters, (T, N) as singa writes it, or (N, T).
void AddText(const OnnxValueInfo& input, const std::string& file, const Sizes& input_shape,
             ImportState* state) {
  constexpr int64_t kSteps = 32;  // if nothing says another number
  if (input.dims.size() != 2 || input_shape.size() > 1)
    throw DataError(file, -1,
                    InputText(input) +
                        "has integers; an import reads them as texts, of the sizes (N, T) or "
                        "(T, N), and -shape gives T");
  const auto order = state->model.metadata.find("input_order");
  const bool own = order != state->model.metadata.end() && order->second.ends_with("(T, N)");
  const bool steps_first = own || (input.dims[0] > 0 && input.dims[1] < 0);
  state->fixed_steps = input.dims[steps_first ? 0 : 1];
  state->fixed_batch = input.dims[steps_first ? 1 : 0];
  const int64_t fixed = state->fixed_steps;
  state->steps = fixed > 0             ? fixed
                 : input_shape.empty() ? StepsInMetadata(state->model, kSteps)
                                       : input_shape[0];
  if (fixed > 0 && !input_shape.empty() && input_shape[0] != fixed)
    throw Error(kExitUsage, StrCat("-shape: is ", input_shape[0], ", ", InputText(input), "has ",
                                   fixed, " time steps"));
  if (state->steps > kMostSteps)
    throw DataError(file, -1,
                    StrCat(InputText(input), "has ", state->steps,
                           " time steps; an import takes at most ", kMostSteps));
  ImportedLayer& layer = state->layers.AddLayer(kCharRNN, input.name, -1, {}, {});
  layer.steps = static_cast<int>(state->steps);
  layer.conf.mutable_char_rnn_conf()->set_unroll_len(layer.steps);
  ImportValue value{.form = ValueForm::kIndices, .dims = {kFreeBatch}, .name = input.name};
  value.dims.insert(steps_first ? value.dims.begin() : value.dims.end(),
                    layer.steps > 1 ? kFreeSteps : 1);
  value.source = {0, 0};
  state->values.Set(std::move(value));
}

}  // namespace

void AddGraphInput(const std::string& file, const Sizes& input_shape, ImportState* state) {
  const OnnxValueInfo& input = OneInput(file, state);
  switch (input.type) {
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::DOUBLE:
      return AddRecords(input, file, input_shape, state);
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::INT32:
      return AddText(input, file, input_shape, state);
    default:
      throw DataError(file, -1,
                      InputText(input) +
                          "has neither floating-point numbers nor "
                          "integers");
  }
}

}  // namespace singa
