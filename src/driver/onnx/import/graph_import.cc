#include "driver/onnx/import/graph_import.h"

#include <set>
#include <vector>

#include "base/text/counted.h"
#include "driver/onnx/import/graph_input.h"
#include "driver/onnx/import/node_import.h"
#include "driver/onnx/import/used_layers.h"
#include "driver/onnx/import/value_features.h"
#include "io/checkpoint/json_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Versions of ONNX's operators whose meaning the readers know.
constexpr int64_t kOldestOpset = 9, kNewestOpset = 28;
constexpr size_t kMostRefusals = 20;  // that an error lists

// Collects the nodes that have no layer.
class Refusals {
 public:
  void Note(const std::string& refusal) {
    if (all_.insert(refusal).second && first_.size() < kMostRefusals) first_.push_back(refusal);
  }

  // Throws DataError naming `file` if there are any.
  void Throw(const std::string& file) const {
    if (all_.empty()) return;
    std::string text = StrCat(
        Counted(all_.size(), "node cannot become a layer", "nodes cannot become layers"), ": ");
    for (size_t i = 0; i < first_.size(); ++i) text += (i ? "; " : "") + first_[i];
    if (all_.size() > first_.size()) text += StrCat("; and ", all_.size() - first_.size(), " more");
    throw DataError(file, -1, text);
  }

 private:
  std::set<std::string> all_;       // to count each once
  std::vector<std::string> first_;  // in order
};

class GraphImport {
 public:
  GraphImport(const OnnxModel& model, TensorValues* tensors) : state_(model, tensors) {}

  ImportedNet Run(const std::string& file, const Sizes& input_shape) {
    const OnnxModel& model = state_.model;
    AddGraphInput(file, input_shape, &state_);
    for (size_t i = 0; i < model.nodes.size(); ++i) ReadNode(static_cast<int>(i));
    if (model.outputs.empty()) throw DataError(file, -1, "has no output");
    ImportedNet net;
    for (const OnnxValueInfo& output : model.outputs) ReadOutput(output.name, &net);
    refusals_.Throw(file);
    if (net.outputs.empty()) throw DataError(file, -1, "has no output that a layer gives");
    net.layers = state_.layers.TakeLayers();
    net.vocabulary = state_.vocabulary;
    KeepUsedLayers(&net);
    return net;
  }

 private:
  void ReadNode(int index) {
    GraphValues& values = state_.values;
    const OnnxNode& node = state_.model.nodes[index];
    for (const std::string& output : node.outputs)
      if (!output.empty()) values.Set({.name = output, .node = index});
    const bool own_domain = !node.domain.empty() && node.domain != "ai.onnx";
    const auto reader = own_domain ? nullptr : OnnxNodeReaders().Make(node.op);
    const auto part = own_domain ? nullptr : OnnxPartReaders().Make(node.op);
    if (!reader && !part)
      return refusals_.Note(StrCat(node.Text(), ": no layer computes this operator",
                                   own_domain ? StrCat(" of ", Quote(node.domain)) : ""));
    for (const std::string& input : node.inputs)
      if (!input.empty() && values.Value(input).form == ValueForm::kUnknown) return;
    NodeImport import(index, &state_);
    try {
      const bool done = part && part->read(&import);
      if (!done && !reader) import.Refuse("no layer computes this operator");
      if (!done) reader->read(&import);
      for (const std::string& output : node.outputs)
        if (!output.empty() && values.Readers(output) > 0 &&
            values.Value(output).form == ValueForm::kUnknown)
          import.Refuse(StrCat("no layer gives its output ", Quote(output)));
    } catch (const ImportRefusal& refusal) {
      refusals_.Note(refusal.text);
    }
  }

  void ReadOutput(const std::string& name, ImportedNet* net) {
    ImportValue& value = state_.values.Value(name);
    if (value.form == ValueForm::kUnknown || value.is_next_state) return;
    try {
      if (value.is_constant())
        throw ImportRefusal{StrCat("output ", Quote(name), ": is a constant")};
      net->outputs.push_back(FeatureOf(&value, &state_.layers));
    } catch (const ImportRefusal& refusal) {
      refusals_.Note(refusal.text);
    }
  }

  ImportState state_;
  Refusals refusals_;
};

}  // namespace

ImportedNet ImportNet(const OnnxModel& model, const std::string& file, const Sizes& input_shape,
                      TensorValues* tensors) {
  if (model.opset < kOldestOpset || model.opset > kNewestOpset)
    throw DataError(file, -1,
                    StrCat("is of opset ", model.opset, "; an import reads opsets ", kOldestOpset,
                           " to ", kNewestOpset));
  return GraphImport(model, tensors).Run(file, input_shape);
}

}  // namespace singa
