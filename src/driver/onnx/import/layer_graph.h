// LayerGraph holds the layers that an import has made so far.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/onnx/import/imported_net.h"

namespace singa {

// ImportRefusal is thrown if no layer computes a node or its value. The import then continues with
// the other nodes, to report all such nodes.
struct ImportRefusal {
  std::string text;
};

class LayerGraph {
 public:
  // `model` must outlive this.
  explicit LayerGraph(const OnnxModel& model) : model_(model) {}

  // Says why node `node` has no layer; -1: the input.
  [[noreturn]] void Refuse(int node, const std::string& why) const;

  // Adds a layer that gives `value`, with the time steps of its sources. The reference is valid
  // until the next call.
  ImportedLayer& AddLayer(LayerType type, const std::string& value, int node,
                          const std::vector<LayerOutput>& sources, const Sizes& shape);
  ImportedLayer& layer(int index) { return layers_[index]; }
  int last_layer() const { return static_cast<int>(layers_.size()) - 1; }
  // Returns the sizes of a row of the feature.
  const Sizes& ShapeOf(LayerOutput feature) const {
    return layers_[feature.layer].shapes[feature.output];
  }
  // Returns the number of time steps of the feature.
  int StepsOf(LayerOutput feature) const { return feature.last ? 1 : layers_[feature.layer].steps; }
  // The input layer's settings, to which the first nodes of the graph may add.
  StoreProto& input_conf() { return *layers_[0].conf.mutable_store_conf(); }

  // Returns whether several nodes read this layer's feature, or a value that follows from it
  // without another layer. Then none of these nodes may change the layer's settings.
  bool IsShared(int layer) const { return shared_.contains(layer); }
  void MarkShared(int layer) { shared_.insert(layer); }

  std::vector<ImportedLayer> TakeLayers() { return std::move(layers_); }

 private:
  const OnnxModel& model_;
  std::vector<ImportedLayer> layers_;
  std::set<int> shared_;
};

inline constexpr int64_t kMostInRow = int64_t{1} << 28;  // numbers: 1 GiB

// Returns whether these are sizes of a row that an import takes.
bool IsRowOfALayer(const Sizes& row);

}  // namespace singa
