// The net as a graph, from NetProto to an order of nodes. Pure functions: the same for training,
// `singa check` and `singa plan`. In this order:
//
//   FilterPhase  layers of one phase, links by name      layer[fc1].srclayers -> Link
//   PairRbms     the sides of each RBM know each other   LayerProto.rbm_conf
//   FeedBack     a net that reads its own output         Link.delayed
//   Unroll       T steps as a number on each layer       Link.kind
//   Partition    a worker's part: its rows of each layer LayerProto.partition_id
//                or K copies of each layer, one a worker helper layers where rows or units move
//   KeepOutput   of a net that only computes one layer's feature, what that needs
//   Fold         one node for T steps where that is the same computation
//   Expand       nodes and the values between them       Node, Value, Read
//   KeepNeeded   of the time steps that are left after KeepOutput, too
//   InsertSplits one reader for every step of a value
//   Order        forward order of the nodes
//
// Mistakes of the user's conf are collected in `errors`, each with its layer's path; a layer that
// has one is marked faulty and not judged further.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
    kPrevious,     // step t >= 1 reads step t - 1 of the layer itself, last slots
  };
  int source = -1;  // in Graph::layers
  int output = 0;   // of the source
  Kind kind = kSameStep;
  int shift = 0;
  bool feedback = false;  // no ordering edge
  bool delayed = false;   // a feedback: what the source gave for the batch before
  bool remote = false;    // the source is another worker's (a bridge)
};

struct GraphLayer {
  LayerProto conf;
  std::string path;  // in the NetProto, for errors: layer[fc1]
  Wiring wiring;
  std::vector<Link> in;
  int steps = 1;
  int part = 0;
  bool folded = false;
  bool faulty = false;
  bool inserted = false;  // a split that the conf does not name
};

// By the enum: a user_type is none of these.
inline bool IsOfType(const GraphLayer& layer, LayerType type) {
  return !layer.conf.has_user_type() && layer.conf.type() == type;
}

// Steps [first_step, first_step + steps) of a value.
struct Read {
  int value = -1;
  int first_step = 0;
  int steps = 1;
  bool feedback = false;
  bool delayed = false;
  bool remote = false;
};

// What one output of one layer of one part produces over all its steps.
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
  int output = -1;  // of layers, whose feature is all that the net computes; -1: it runs whole
  std::vector<Value> values;
  std::vector<Node> nodes;
};

// A net's conf, and which phase of it is built.
struct NetOfPhase {
  const NetProto& conf;
  Phase phase;
  std::string asker;  // the field of the job that asks for the phase, for errors; "": none does
};

// How the layers of these names are called in errors: "layer[fc1]"; "layer[data#1]" for the second
// of that name, "layer[3]" for one without a name.
std::vector<std::string> LayerPaths(const std::vector<std::string>& names);

// By include and exclude.
bool InPhase(const LayerProto& layer, Phase phase);
// By any of its names.
bool IsSoftmaxLoss(const LayerProto& layer);

// "no layer "x" in this phase", and which phases have it, or else which name of `known` is near.
// Neither is looked for behind many other errors: that would take minutes for a long file.
std::string NoSuchLayer(const NetOfPhase& net, const std::string& name,
                        const std::vector<std::string>& known, size_t errors_before);

Graph FilterPhase(const NetOfPhase& net, ConfigErrors* errors);
// A kRBMVis draws samples of its kRBMHid's units, whose kind the conf says there.
void PairRbms(Graph* graph, ConfigErrors* errors);
// A kRNNDummy reads its dynamic_srclayer, one batch late; what the net remembers lasts as long.
void FeedBack(const NetOfPhase& net, Graph* graph, ConfigErrors* errors);
void Unroll(const NetProto& net, Graph* graph, ConfigErrors* errors);
// How a net is cut over the workers of a group.
struct NetCut {
  int workers = 1;
  int worker = 0;      // whose part the graph is to be
  bool units = false;  // layers may be cut by units, too: the graph has the parts of all workers
  int groups = 1;      // that train at once
};
void Partition(const NetProto& net, const NetCut& cut, Graph* graph, ConfigErrors* errors);
// Keeps the layers that the feature of layer `output` is computed from, up to the one input layer
// among them. "" is what the net is trained to give: the probabilities of its kSoftmaxLoss, what
// another loss takes for the prediction, or without a loss the one layer that no other reads.
// A kSoftmaxLoss becomes a kSoftmax, which needs no labels.
void KeepOutput(const NetOfPhase& net, const std::string& output, Graph* graph,
                ConfigErrors* errors);
// Folds the layers that can be folded; without `all` only those that cannot run in another way.
void Fold(bool all, Graph* graph, ConfigErrors* errors);
// Leaves the graph without nodes where it would have too many.
void Expand(Graph* graph, ConfigErrors* errors);
// Keeps the nodes that those of Graph::output are computed from: one of them is the last in order.
void KeepNeeded(Graph* graph);
void InsertSplits(Graph* graph);
void Order(Graph* graph, ConfigErrors* errors);

}  // namespace singa
