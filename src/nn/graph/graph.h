// These passes turn a NetProto into a graph of nodes in forward order. They are pure functions,
// which training, `singa check` and `singa plan` share. They run in this order:
//
//   FilterPhase  layers of one phase, links by name      layer[fc1].srclayers -> Link
//   PairRbms     checks the two layers of each RBM       LayerProto.rbm_conf
//   FeedBack     a net that reads its own output         Link.delayed
//   Unroll       T steps as a number on each layer       Link.kind
//   Partition    a worker's part of each layer         GraphLayer.part, stages, bridges
//   KeepOutput   only the layers that one wanted layer's feature needs
//   StepByStep   one time step, with what layers carry of those before
//   Fold         one node for T steps where that is the same computation
//   Expand       nodes and the values between them       Node, Value, Read
//   KeepNeeded   only the time steps that the wanted feature needs
//   InsertSplits one reader for every step of a value
//   Order        forward order of the nodes
//
// The passes collect mistakes of the user's conf in `errors`, each with its layer's path. A layer
// with a mistake is marked faulty and not checked further.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/graph/bridge_layout.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/proto/net.pb.h"

namespace singa {

using ConfigErrors = std::vector<ConfigError>;

// One source of a layer.
struct Link {
  enum Kind : uint8_t {
    kSameStep,     // step t reads step t - shift
    kAllSteps,     // step t reads every step, one slot each
    kLastToFirst,  // step 0 reads the last step
    kPrevious,     // step t >= 1 reads step t - 1 of its own layer, in the last slots
  };
  int source = -1;  // in Graph::layers
  int output = 0;   // index of the source's output
  Kind kind = kSameStep;
  int shift = 0;
  bool feedback = false;  // no ordering edge
  bool delayed = false;   // a feedback that reads the source's output for the batch before
};

struct GraphLayer {
  LayerProto conf;
  std::string path;  // place in the NetProto, for errors: layer[fc1]
  Wiring wiring;
  std::vector<Link> in;
  int steps = 1;
  int part = 0;
  bool folded = false;
  bool faulty = false;
  bool own_grid = false;  // the conf has its partition_grid
  // A layer that the conf does not name: a split, an end of a bridge, a stage that is not the last.
  bool inserted = false;
  int stage = -1;  // of Layer::Stage; -1: the whole layer
  enum BridgeRole : uint8_t { kNoBridge, kBridgeSource, kBridgeEnd };
  BridgeRole bridge_role = kNoBridge;
  Bridge bridge;
};

// Returns whether the layer has the enum's type. A layer with a user_type has none.
inline bool IsOfType(const GraphLayer& layer, LayerType type) {
  return !layer.conf.has_user_type() && layer.conf.type() == type;
}

// Adds `error`, which is relative to the layer, to `errors`, and marks the layer.
inline void AddFault(const ConfigError& error, GraphLayer* layer, ConfigErrors* errors) {
  errors->push_back(error.Under(layer->path));
  layer->faulty = true;
}

// Steps [first_step, first_step + steps) of a value.
struct Read {
  int value = -1;
  int first_step = 0;
  int steps = 1;
  bool feedback = false;
  bool delayed = false;
};

// One output of one layer, over all its time steps.
struct Value {
  int layer = -1;
  int steps = 1;
};

struct Node {
  int layer = -1;
  int step = 0;
  std::vector<Read> in, out;
};

struct Graph {
  std::vector<GraphLayer> layers;
  int output = -1;  // in layers: the only wanted feature; -1: the whole net runs
  std::vector<Value> values;
  std::vector<Node> nodes;
};

// A net's conf and the phase to build.
struct NetOfPhase {
  const NetProto& conf;
  Phase phase;
  std::string asker;  // the job's field that needs the phase, for errors; "": none
};

// Returns the paths of the layers in errors: "layer[fc1]", "layer[data#1]" for the second layer of
// a name, "layer[3]" for a layer without a name.
std::vector<std::string> LayerPaths(const std::vector<std::string>& names);
std::vector<std::string> LayerPaths(const google::protobuf::RepeatedPtrField<LayerProto>& layers);

// Returns whether the phase has the layer, by include and exclude.
bool InPhase(const LayerProto& layer, Phase phase);
// Returns the type of layer that computes a loss's feature without its second source: kSoftmax for
// a softmax loss, kSigmoid for a kSigmoidCrossEntropyLoss. kUserLayer: there is none.
LayerType ScoresOf(const LayerProto& layer);

// Returns "no layer "x" in this phase", and the phases that have it, or else a similar name of
// `known`. After many errors it does not search, as that would take minutes for a long file.
std::string NoSuchLayer(const NetOfPhase& net, const std::string& name,
                        const std::vector<std::string>& known, size_t errors_before);

Graph FilterPhase(const NetOfPhase& net, ConfigErrors* errors);
// Checks each kRBMVis and its kRBMHid. Gives the kRBMVis the kind of its kRBMHid's units, as it
// draws samples of them.
void PairRbms(Graph* graph, ConfigErrors* errors);
// Links each kRNNDummy to its dynamic_srclayer, which it reads one batch late. Makes layers carry
// what they need of earlier batches, as each batch is one time step: carry_state and carried_steps.
void FeedBack(const NetOfPhase& net, Graph* graph, ConfigErrors* errors);
void Unroll(const NetProto& net, Graph* graph, ConfigErrors* errors);
// The partition of a net over the workers of a group.
struct NetCut {
  int workers = 1;
  int worker = 0;              // worker whose part is built
  bool units = true;           // partition_dim: 1 has an effect
  bool gpus_exchange = false;  // as in NetOptions
  int groups = 1;              // worker groups that train at once
};
// Sets the dimension by which each layer is divided: a layer that cannot be divided by units is
// divided by rows, whatever its partition_dim. Inserts stages and bridges.
void Partition(const NetProto& net, const NetCut& cut, Graph* graph, ConfigErrors* errors);
// Keeps only the layers that the feature of layer `output` needs; they include one input layer. ""
// means the net's trained output. That is the probabilities of its kSoftmaxLoss or
// kSigmoidCrossEntropyLoss, another loss's first source, or without a loss the one layer that no
// other reads. Such a loss becomes a kSoftmax or kSigmoid, which needs no labels.
void KeepOutput(const NetOfPhase& net, const std::string& output, Graph* graph,
                ConfigErrors* errors);
// Makes a net of one time step a batch of a net of T. Its layers carry their states, and keep up to
// T time steps. The graph is what KeepOutput left.
void StepByStep(Graph* graph, ConfigErrors* errors);
// Folds all layers that can be folded; without `all`, only layers that cannot run unfolded.
void Fold(bool all, Graph* graph, ConfigErrors* errors);
// Makes the nodes, values and reads. Makes no nodes if there would be too many.
void Expand(Graph* graph, ConfigErrors* errors);
// Keeps only the nodes that the nodes of Graph::output need. One of these is the last in order.
void KeepNeeded(Graph* graph);
void InsertSplits(Graph* graph);
void Order(Graph* graph, ConfigErrors* errors);

}  // namespace singa
