#include "driver/onnx/import/net_loss.h"

#include <algorithm>
#include <climits>
#include <set>
#include <utility>

#include "singa/base/error.h"

namespace singa {
namespace {

class LossImport {
 public:
  explicit LossImport(ImportedNet* net) : net_(*net) {
    for (const ImportedLayer& layer : net->layers)
      for (const LayerOutput& source : layer.sources) read_.emplace(source.layer, source.output);
  }

  // Returns whether the loss is a guess.
  bool Add(const std::string& kind) {
    if (kind == "none") return false;
    const int softmax = EndOf(kSoftmax), sigmoid = EndOf(kSigmoid);
    const bool guesses = kind.empty() && softmax < 0 && sigmoid < 0;
    if (kind == "euclidean")
      AddToTargets(kEuclideanLoss, Predictions());
    else if (kind == "sigmoid" || (kind.empty() && softmax < 0 && sigmoid >= 0))
      AddSigmoid(sigmoid);
    else
      AddSoftmax(softmax);
    return guesses;
  }

 private:
  // Returns the layer of this type that is an output and that no layer reads, or -1.
  int EndOf(LayerType type) const {
    for (const LayerOutput& output : net_.outputs) {
      const ImportedLayer& layer = net_.layers[output.layer];
      const bool read = read_.contains({output.layer, output.output});
      if (layer.conf.type() == type && !read && !layer.conf.has_softmax_conf()) return output.layer;
    }
    return -1;
  }

  // Returns what a loss compares with targets or labels. ImportNet's nets have an output.
  LayerOutput Predictions() const {
    const LayerOutput scores = net_.outputs[0];
    if (scores.layer == 0)
      throw Error(kExitUsage, "-loss: the net's output is its input; -loss none imports it so");
    return scores;
  }

  StoreProto& input_conf() { return *net_.layers[0].conf.mutable_store_conf(); }

  ImportedLayer& NewLayer() {
    ImportedLayer& layer = net_.layers.emplace_back();
    layer.value = "loss";
    layer.node = INT_MAX;
    layer.shapes = {{1}};
    return layer;
  }

  // `end`: the kSoftmax that becomes the loss, or -1.
  void AddSoftmax(int end) {
    ImportedLayer* loss = end < 0 ? nullptr : &net_.layers[end];
    if (!loss) {
      const LayerOutput scores = Predictions();
      loss = &NewLayer();
      loss->sources = {scores};
    }
    loss->conf.set_type(kSoftmaxLoss);
    const int64_t classes = Units(loss->sources[0]);
    loss->sources.push_back({0, 0});
    SyntheticProto& synthetic = *input_conf().mutable_synthetic_conf();
    synthetic.set_classes(static_cast<int32_t>(std::min<int64_t>(classes, INT_MAX)));
  }

  void AddSigmoid(int end) {
    if (end < 0) return AddToTargets(kSigmoidCrossEntropyLoss, Predictions());
    ImportedLayer& loss = net_.layers[end];
    loss.conf.set_type(kSigmoidCrossEntropyLoss);
    ReadTargets(&loss);
  }

  void AddToTargets(LayerType type, LayerOutput predictions) {
    ImportedLayer& loss = NewLayer();
    loss.conf.set_type(type);
    loss.sources = {predictions};
    ReadTargets(&loss);
  }

  // Targets are the input layer's second output.
  void ReadTargets(ImportedLayer* loss) {
    const int64_t units = Units(loss->sources[0]);
    loss->sources.push_back({0, 1});
    net_.layers[0].shapes.push_back({units});
    input_conf().set_num_targets(static_cast<int32_t>(std::min<int64_t>(units, INT_MAX)));
  }

  int64_t Units(LayerOutput output) const {
    return ProductOf(net_.layers[output.layer].shapes[output.output]);
  }

  ImportedNet& net_;
  std::set<std::pair<int, int>> read_;  // outputs of layers that layers read
};

}  // namespace

bool AddLoss(const std::string& kind, ImportedNet* net) { return LossImport(net).Add(kind); }

}  // namespace singa
