#include "driver/onnx/import/net_loss.h"

#include <algorithm>
#include <climits>
#include <set>
#include <utility>

#include "io/checkpoint/json_text.h"
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

  bool ReadsText() const { return net_.layers[0].conf.type() == kCharRNN; }

  ImportedLayer& NewLayer(LayerOutput scores) {
    const int steps = scores.last ? 1 : net_.layers[scores.layer].steps;
    ImportedLayer& layer = net_.layers.emplace_back();
    layer.value = "loss";
    layer.node = INT_MAX;
    layer.shapes = {{1}};
    layer.sources = {scores};
    layer.steps = steps;
    return layer;
  }

  // Adds a kRNNLabel: the label of each step of layer `loss` is the next character.
  void ReadNextCharacters(int loss) {
    ImportedLayer label;
    label.conf.set_type(kRNNLabel);
    label.value = "label";
    label.sources = {{0, 0}};
    label.shapes = {{}};
    label.steps = net_.layers[0].steps;
    const bool last = label.steps > 1 && net_.layers[loss].steps == 1;
    for (ImportedLayer& layer : net_.layers)
      for (LayerOutput& source : layer.sources) source.layer += source.layer > 0 ? 1 : 0;
    net_.layers.insert(net_.layers.begin() + 1, std::move(label));
    net_.layers[loss + 1].sources.push_back({.layer = 1, .output = 0, .last = last});
  }

  // `end`: the kSoftmax that becomes the loss, or -1.
  void AddSoftmax(int end) {
    ImportedLayer* loss = end < 0 ? nullptr : &net_.layers[end];
    if (!loss) {
      const LayerOutput scores = Predictions();
      loss = &NewLayer(scores);
    }
    loss->conf.set_type(kSoftmaxLoss);
    if (ReadsText()) return ReadNextCharacters(static_cast<int>(loss - net_.layers.data()));
    if (loss->steps > 1)
      throw Error(kExitUsage,
                  "-loss: the records have no label for each of the scores' time steps; "
                  "-loss none imports the net without a loss");
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
    ImportedLayer& loss = NewLayer(predictions);
    loss.conf.set_type(type);
    ReadTargets(&loss);
  }

  // Targets are the input layer's second output.
  void ReadTargets(ImportedLayer* loss) {
    const int64_t units = Units(loss->sources[0]);
    if (ReadsText() || loss->steps > 1)
      throw Error(kExitUsage,
                  "-loss: the input layer has no targets for each time step; -loss softmax or none "
                  "fits");
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

bool AddLoss(const std::string& kind, ImportedNet* net) {
  const bool guesses = LossImport(net).Add(kind);
  for (const ImportedLayer& layer : net->layers)
    if (layer.logarithm && layer.conf.type() == kSoftmax)
      throw Error(kExitUsage, StrCat(Quote(layer.value),
                                     " is of a LogSoftmax, which becomes a layer only at the net's "
                                     "end, with -loss softmax"));
  return guesses;
}

}  // namespace singa
