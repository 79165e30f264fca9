#include "driver/onnx/import/graph_import.h"

#include <algorithm>
#include <climits>

#include "base/text/counted.h"
#include "driver/onnx/import/node_import.h"
#include "driver/onnx/import/used_layers.h"
#include "io/checkpoint/json_text.h"
#include "onnx/onnx.pb.h"
#include "singa/base/error.h"
#include "singa/tensor/shape.h"

namespace singa {
namespace {

// Versions of ONNX's operators whose meaning the readers know.
constexpr int64_t kOldestOpset = 9, kNewestOpset = 25;
constexpr size_t kMostRefusals = 20;  // that an error lists

bool AreValid(const Sizes& row) {
  int64_t product = 1;
  for (int64_t size : row)
    if (size < 1 || size > INT_MAX || __builtin_mul_overflow(product, size, &product)) return false;
  return product <= Shape::kMaxSize && row.size() < Shape::kMaxDims;
}

}  // namespace

std::string SizesText(const Sizes& sizes) {
  constexpr size_t kMost = 16;
  std::string text = "(";
  for (size_t i = 0; i < std::min(kMost, sizes.size()); ++i)
    text += StrCat(i ? ", " : "", sizes[i] == kFreeBatch ? "N" : std::to_string(sizes[i]));
  return text + (sizes.size() > kMost ? ", ...)" : ")");
}

Sizes SizesFrom(const Sizes& sizes, size_t first) {
  return {sizes.begin() + static_cast<int64_t>(std::min(first, sizes.size())), sizes.end()};
}

int64_t ProductOf(const Sizes& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(product, size, &product)) return INT64_MAX;
  return product;
}

GraphImport::GraphImport(const OnnxModel& model, const std::string& file, const Sizes& input_shape,
                         TensorValues* tensors)
    : model_(model), file_(file), tensors_(*tensors) {
  if (model.opset < kOldestOpset || model.opset > kNewestOpset)
    throw DataError(file, -1,
                    StrCat("is of opset ", model.opset, "; an import reads opsets ", kOldestOpset,
                           " to ", kNewestOpset));
  for (const OnnxNode& node : model.nodes)
    for (const std::string& input : node.inputs) ++readers_[input];
  for (const OnnxValueInfo& output : model.outputs) ++readers_[output.name];
  for (const OnnxTensor& tensor : model.constants)
    SetValue({.form = ValueForm::kConstant,
              .dims = tensor.dims,
              .name = tensor.name,
              .tensor = &tensor});
  AddInput(input_shape);
}

Sizes GraphImport::InputRow(const OnnxValueInfo& input, const Sizes& input_shape) const {
  const std::string which = StrCat("input ", Quote(input.name), " ");
  const Sizes own = SizesFrom(input.dims, 1);
  if (input_shape.empty() && own.empty())
    throw DataError(file_, -1, which + "has no shape of rows; -shape c,h,w gives it");
  if (input_shape.empty() || own.empty()) return input_shape.empty() ? own : input_shape;
  bool fits = own.size() == input_shape.size();
  for (size_t i = 0; fits && i < own.size(); ++i) fits = own[i] < 0 || own[i] == input_shape[i];
  if (!fits)
    throw Error(kExitUsage, StrCat("-shape: is ", SizesText(input_shape), ", ", which,
                                   "has rows of ", SizesText(own), ", where -1 is a free size"));
  return input_shape;
}

void GraphImport::AddInput(const Sizes& input_shape) {
  const OnnxValueInfo* input = nullptr;
  for (const OnnxValueInfo& one : model_.inputs) {
    if (values_.contains(one.name)) continue;  // old files list constants as inputs
    if (input)
      throw DataError(file_, -1,
                      StrCat("has two inputs or more, ", Quote(input->name), " and ",
                             Quote(one.name), "; an import reads models of one"));
    input = &one;
  }
  if (!input) throw DataError(file_, -1, "has no input");
  const std::string which = StrCat("input ", Quote(input->name), " ");
  if (input->type != onnx::TensorProto::FLOAT && input->type != onnx::TensorProto::FLOAT16 &&
      input->type != onnx::TensorProto::DOUBLE)
    throw DataError(file_, -1,
                    which +
                        "has no floating-point numbers; models of other inputs, such as "
                        "texts, are not imported");
  const Sizes row = InputRow(*input, input_shape);
  for (int64_t size : row)
    if (size < 0)
      throw DataError(file_, -1, which + "has a free size beside the batch; -shape c,h,w gives it");
  if (!AreValid(row))
    throw DataError(
        file_, -1,
        StrCat(which, "has rows of ", SizesText(row), "; a row has at most ", Shape::kMaxDims - 1,
               " sizes, each from 1 to ", INT_MAX, ", and 2^40 numbers"));
  fixed_batch_ = input->dims.empty() ? -1 : input->dims[0];
  AddLayer(kRecordInput, input->name, -1, {}, row);
  for (int64_t size : row) input_conf().add_shape(static_cast<int32_t>(size));
  ImportValue value{.form = ValueForm::kFeature, .dims = row, .name = input->name};
  value.dims.insert(value.dims.begin(), kFreeBatch);
  value.source = {0, 0};
  SetValue(std::move(value));
}

void GraphImport::Refuse(int node, const std::string& why) const {
  throw ImportRefusal{StrCat(node < 0 ? "the input" : model_.nodes[node].Text(), ": ", why)};
}

int GraphImport::Readers(const std::string& name) const {
  const auto readers = readers_.find(name);
  return readers == readers_.end() ? 0 : readers->second;
}

ImportValue& GraphImport::Value(const std::string& name) {
  ImportValue& value = values_[name];
  if (value.name.empty()) value.name = name;
  return value;
}

void GraphImport::SetValue(ImportValue value) {
  const std::string name = value.name;
  if (value.source.layer >= 0 && Readers(name) > 1) shared_.insert(value.source.layer);
  values_.insert_or_assign(name, std::move(value));
}

ImportedLayer& GraphImport::AddLayer(LayerType type, const std::string& value, int node,
                                     const std::vector<LayerOutput>& sources, const Sizes& shape) {
  if (!AreValid(shape))
    Refuse(node, StrCat("would have rows of ", SizesText(shape),
                        ", which are empty or too large for a layer"));
  ImportedLayer& layer = net_.layers.emplace_back();
  layer.conf.set_type(type);
  layer.value = value;
  layer.node = node;
  layer.sources = sources;
  layer.shapes = {shape};
  return layer;
}

void GraphImport::Note(const std::string& refusal) {
  if (refused_.insert(refusal).second && refusals_.size() < kMostRefusals)
    refusals_.push_back(refusal);
}

void GraphImport::ReadNode(int index) {
  const OnnxNode& node = model_.nodes[index];
  for (const std::string& output : node.outputs)
    if (!output.empty()) SetValue({.name = output, .node = index});
  const bool own_domain = !node.domain.empty() && node.domain != "ai.onnx";
  const auto reader = own_domain ? nullptr : OnnxNodeReaders().Make(node.op);
  if (!reader)
    return Note(StrCat(node.Text(), ": no layer computes this operator",
                       own_domain ? StrCat(" of ", Quote(node.domain)) : ""));
  for (const std::string& input : node.inputs)
    if (!input.empty() && Value(input).form == ValueForm::kUnknown) return;
  NodeImport import(index, this);
  try {
    reader->read(&import);
    for (const std::string& output : node.outputs)
      if (!output.empty() && Readers(output) > 0 && Value(output).form == ValueForm::kUnknown)
        import.Refuse(StrCat("no layer gives its output ", Quote(output)));
  } catch (const ImportRefusal& refusal) {
    Note(refusal.text);
  }
}

void GraphImport::ReadOutputs() {
  if (model_.outputs.empty()) throw DataError(file_, -1, "has no output");
  for (const OnnxValueInfo& output : model_.outputs) {
    ImportValue& value = Value(output.name);
    if (value.form == ValueForm::kUnknown) continue;
    try {
      if (value.is_constant())
        throw ImportRefusal{StrCat("output ", Quote(output.name), ": is a constant")};
      net_.outputs.push_back(FeatureOf(&value));
    } catch (const ImportRefusal& refusal) {
      Note(refusal.text);
    }
  }
}

void GraphImport::ThrowRefusals() const {
  if (refused_.empty()) return;
  std::string text = StrCat(Counted(refused_.size(), "node"), " cannot become layers: ");
  for (size_t i = 0; i < refusals_.size(); ++i) text += (i ? "; " : "") + refusals_[i];
  if (refused_.size() > refusals_.size())
    text += StrCat("; and ", refused_.size() - refusals_.size(), " more");
  throw DataError(file_, -1, text);
}

ImportedNet GraphImport::Run() {
  for (size_t i = 0; i < model_.nodes.size(); ++i) ReadNode(static_cast<int>(i));
  ReadOutputs();
  ThrowRefusals();
  if (net_.outputs.empty()) throw DataError(file_, -1, "has no output that a layer gives");
  KeepUsedLayers(&net_);
  return std::move(net_);
}

}  // namespace singa
