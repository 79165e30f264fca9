// GraphImport walks the nodes of an ONNX graph and makes a net of layers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/onnx/import/imported_net.h"
#include "driver/onnx/import/tensor_values.h"

namespace singa {

// ImportRefusal is thrown for a node, or a value of it, that has no layer. The import then
// continues, to find all such nodes.
struct ImportRefusal {
  std::string text;
};

class GraphImport {
 public:
  // `input_shape`: sizes of a row, needed where the file leaves a size free; empty: the file's. The
  // arguments must outlive this.
  GraphImport(const OnnxModel& model, const std::string& file, const Sizes& input_shape,
              TensorValues* tensors);

  // Returns the net. Throws DataError that lists nodes without a layer, or for damaged tensors.
  ImportedNet Run();

  const OnnxModel& model() const { return model_; }
  TensorValues& tensors() const { return tensors_; }
  // The number of rows that the file says, or -1.
  int64_t fixed_batch() const { return fixed_batch_; }
  // The input layer's settings, to which the first nodes of the graph may add.
  StoreProto& input_conf() { return *net_.layers[0].conf.mutable_store_conf(); }

  [[noreturn]] void Refuse(int node, const std::string& why) const;
  // Returns the number of nodes and outputs of the graph that read the value.
  int Readers(const std::string& name) const;
  ImportValue& Value(const std::string& name);
  void SetValue(ImportValue value);
  const Sizes& ShapeOf(LayerOutput feature) const {
    return net_.layers[feature.layer].shapes[feature.output];
  }
  ImportedLayer& layer(int index) { return net_.layers[index]; }
  // Returns whether several nodes read this layer's feature, or a value that follows from it
  // without another layer. Then its settings must not change for one of these nodes.
  bool IsShared(int layer) const { return shared_.contains(layer); }
  int last_layer() const { return static_cast<int>(net_.layers.size()) - 1; }
  ImportedLayer& AddLayer(LayerType type, const std::string& value, int node,
                          const std::vector<LayerOutput>& sources, const Sizes& shape);
  // Returns the feature of the value. If no layer gives it yet, adds that layer.
  LayerOutput FeatureOf(ImportValue* value);

 private:
  LayerOutput ScaledInput(const ImportValue& value);
  void AddInput(const Sizes& input_shape);
  Sizes InputRow(const OnnxValueInfo& input, const Sizes& input_shape) const;
  void ReadNode(int index);
  void ReadOutputs();
  void Note(const std::string& refusal);
  void ThrowRefusals() const;

  const OnnxModel& model_;
  const std::string& file_;
  TensorValues& tensors_;
  int64_t fixed_batch_ = -1;
  std::map<std::string, int> readers_;
  std::map<std::string, ImportValue> values_;
  ImportedNet net_;
  std::set<int> shared_;               // layers
  std::set<std::string> refused_;      // to count each once
  std::vector<std::string> refusals_;  // the first of them, in order
};

}  // namespace singa
