#include "driver/onnx/net_export.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/edit_distance.h"
#include "driver/onnx/layer_export.h"
#include "nn/graph/graph.h"
#include "nn/plan/net_builder.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// An output of a node: what is asked for.
struct Wanted {
  int node;
  int output;
};

std::string TypeOf(const LayerProto& conf) {
  return conf.has_user_type() ? conf.user_type() : LayerType_Name(conf.type());
}

class NetExport {
 public:
  explicit NetExport(const Net& net)
      : net_(net),
        sources_(net.Sources()),
        graph_(OutputNames(net)),
        forms_(net.nodes().size()),
        values_(net.nodes().size()) {}

  OnnxGraph Run(const std::string& name) {
    const std::vector<Wanted> wanted = name.empty() ? OutputsOfLoss() : OutputsOf(name);
    ChooseForms(wanted);
    for (size_t i = 0; i < forms_.size(); ++i)
      if (forms_[i]) Write(static_cast<int>(i));
    for (const Wanted& output : wanted) GiveOutput(output);
    return std::move(graph_);
  }

 private:
  const NetNode& node(int i) const { return net_.nodes()[i]; }

  // Of all layers. A layer "x:0" would be called as the first output of a layer "x" of several.
  // Splits that the conf does not name may share a name: they hand values on and make none.
  static std::set<std::string> OutputNames(const Net& net) {
    std::set<std::string> names;
    for (const NetNode& node : net.nodes())
      for (size_t k = 0; k < node.out.size(); ++k) {
        const std::string name = OnnxLayer::OutputName(node, k);
        if (!names.insert(name).second && !node.traits.aliases_in)
          throw InLayer(ConfigError("name", StrCat("two outputs would be called \"", name, "\"")),
                        node);
      }
    return names;
  }

  std::vector<Wanted> OutputsOf(const std::string& name) const {
    std::vector<std::string> known;
    for (size_t i = 0; i < net_.nodes().size(); ++i) {
      const NetNode& found = node(static_cast<int>(i));
      known.push_back(found.name);
      if (found.name != name) continue;
      if (found.wiring.is_input)
        throw Error(kExitUsage,
                    StrCat("-layer ", name, ": is an input layer, with nothing to compute"));
      std::vector<Wanted> outputs;
      for (size_t k = 0; k < found.out.size(); ++k)
        outputs.push_back({static_cast<int>(i), static_cast<int>(k)});
      return outputs;
    }
    throw Error(kExitUsage, StrCat("-layer ", name, ": the test phase has no such layer",
                                   DidYouMean(name, known)));
  }

  std::vector<Wanted> OutputsOfLoss() const {
    std::vector<int> losses;
    std::string names;
    for (size_t i = 0; i < net_.nodes().size(); ++i) {
      const NetNode& loss = node(static_cast<int>(i));
      if (!loss.traits.originates_gradient || loss.in_feedback) continue;
      losses.push_back(static_cast<int>(i));
      names += StrCat(losses.size() > 1 ? ", " : "", node(losses.back()).full_name);
    }
    if (losses.empty())
      throw Error(kExitUsage, "the test phase has no loss: name the layer to export by -layer");
    if (losses.size() > 1)
      throw Error(kExitUsage, StrCat("the test phase has several losses (", names,
                                     "): name the layer to export by -layer"));
    Net::Source scores = sources_[losses[0]][0];
    while (node(scores.node).traits.aliases_in) scores = sources_[scores.node][0];
    std::vector<Wanted> outputs = {{scores.node, scores.output}};
    if (IsSoftmaxLoss(node(losses[0]).conf)) outputs.push_back({losses[0], 0});
    return outputs;
  }

  // Of the layers that `wanted` depends on; each stands behind its sources.
  void ChooseForms(const std::vector<Wanted>& wanted) {
    std::vector<char> needed(net_.nodes().size());
    for (const Wanted& output : wanted) needed[output.node] = true;
    for (int i = static_cast<int>(needed.size()); i-- > 0;) {
      if (!needed[i]) continue;
      try {
        forms_[i] = FormOf(node(i));
      } catch (const ConfigError& error) {
        throw InLayer(error, node(i));
      }
      for (int slot = 0; slot < Slots(i); ++slot) needed[sources_[i][slot].node] = true;
    }
  }

  static std::unique_ptr<LayerExport> FormOf(const NetNode& node) {
    if (node.full_name != node.name || node.conf.unroll_len() > 1)
      throw ConfigError("unroll_len", "must be 1: time steps are not exported yet");
    const bool user = node.conf.has_user_type();
    std::unique_ptr<LayerExport> form = user ? nullptr : OnnxExports().Make(TypeOf(node.conf));
    if (form) return form;
    std::string known;
    for (const std::string& name : OnnxExports().Names())
      known += StrCat(known.empty() ? "" : ", ", name);
    throw ConfigError(user ? "user_type" : "type",
                      StrCat(TypeOf(node.conf), " has no form in ONNX; these have: ", known));
  }

  static ConfigError InLayer(const ConfigError& error, const NetNode& node) {
    return error.Under(node.path).Under("neuralnet");
  }

  // Sources that count: labels do not.
  int Slots(int i) const {
    return std::min(forms_[i]->sources, static_cast<int>(node(i).in.size()));
  }

  void Write(int i) {
    OnnxNames in;
    for (int slot = 0; slot < Slots(i); ++slot) {
      const Net::Source source = sources_[i][slot];
      in.push_back(values_[source.node][source.output]);
    }
    OnnxLayer layer(node(i), in, &graph_);
    try {
      forms_[i]->write(&layer);
    } catch (const ConfigError& error) {
      throw InLayer(error, node(i));
    }
    values_[i] = layer.out();
    if (IsSoftmaxLoss(node(i).conf))
      graph_.Describe("classes", StrCat(node(i).out[0]->data.shape()[1]));
  }

  // An output is called as its layer, even where the layer only hands a value on.
  void GiveOutput(const Wanted& output) {
    const NetNode& from = node(output.node);
    const std::string name = OnnxLayer::OutputName(from, output.output);
    const std::string& value = values_[output.node][output.output];
    if (graph_.IsInput(name))
      throw Error(kExitUsage,
                  StrCat("the loss reads the input layer ", name, ": nothing to compute"));
    if (value != name) graph_.Add("Identity", {value}, {name});
    graph_.AddOutput(name, from.out[output.output]->data.shape());
  }

  const Net& net_;
  const std::vector<std::vector<Net::Source>> sources_;  // of each node's inputs
  OnnxGraph graph_;
  std::vector<std::unique_ptr<LayerExport>> forms_;  // of each node; null: nothing needs it
  std::vector<OnnxNames> values_;                    // of each node's outputs
};

}  // namespace

Net NetToExport(const NetProto& conf, ParamTable* params) {
  NetOptions options;
  options.phase = kTest;
  options.gradients = false;
  options.reuse = false;
  return BuildNet(conf, options, params);
}

OnnxGraph ExportNet(const Net& net, const std::string& name) { return NetExport(net).Run(name); }

}  // namespace singa
