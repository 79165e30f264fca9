#include "driver/onnx/net_export.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "driver/onnx/layer_export.h"
#include "driver/onnx/net_reads.h"
#include "nn/graph/graph.h"
#include "nn/plan/net_builder.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::string TypeOf(const LayerProto& conf) {
  return conf.has_user_type() ? conf.user_type() : LayerType_Name(conf.type());
}

bool IsCopyOfAStep(const NetNode& node) { return node.full_name != node.name; }

class NetExport {
 public:
  explicit NetExport(const Net& net)
      : net_(net),
        reads_(net),
        graph_(ValueNames(net)),
        steps_(&graph_),
        forms_(net.nodes().size()),
        values_(net.nodes().size()) {}

  OnnxGraph Run(const std::string& name) {
    RefuseFeedback();
    const std::vector<Wanted> wanted =
        name.empty() ? reads_.OutputsOfLoss() : reads_.OutputsOf(name);
    ChooseForms(wanted);
    ChooseSteps(wanted);
    for (size_t i = 0; i < forms_.size(); ++i)
      if (forms_[i]) Write(static_cast<int>(i));
    for (const Wanted& output : wanted) GiveOutput(output);
    for (const auto& [state, dims] : states_) graph_.AddOutput(state, dims);
    return std::move(graph_);
  }

 private:
  const NetNode& node(int i) const { return net_.nodes()[i]; }

  // Returns the value names of all layers. Throws if two are equal: a layer "x:0", and the first
  // output of a layer "x" with several. Inserted splits may share a name, as they make no values.
  static std::set<std::string> ValueNames(const Net& net) {
    std::map<std::string, std::string> layers;  // name of a value or output -> layer
    std::set<std::string> names;
    for (const NetNode& node : net.nodes())
      for (size_t k = 0; k < node.out.size(); ++k)
        for (const std::string& name :
             {OnnxLayer::ValueName(node, k), OnnxLayer::OutputName(node, k)}) {
          names.insert(name);
          const std::string& first = layers.emplace(name, node.name).first->second;
          if (first != node.name && !node.traits.aliases_in)
            throw InLayer(ConfigError("name", StrCat("two outputs would be called \"", name, "\"")),
                          node);
        }
    return names;
  }

  void RefuseFeedback() const {
    for (const NetNode& node : net_.nodes()) {
      const std::string& source = node.conf.rnn_dummy_conf().dynamic_srclayer();
      if (node.conf.has_user_type() || node.conf.type() != kRNNDummy || source.empty()) continue;
      throw InLayer(
          ConfigError(
              "rnn_dummy_conf.dynamic_srclayer",
              StrCat("the net reads its own output, \"", source,
                     "\", a batch late, which a model cannot: export the net that was "
                     "trained; the program that runs it feeds each step what came of the last")),
          node);
    }
  }

  // Chooses the exports of the layers that `wanted` depends on. Each node comes after its sources.
  void ChooseForms(const std::vector<Wanted>& wanted) {
    std::vector<char> needed(net_.nodes().size());
    const auto need = [&needed](const Pieces& pieces) {
      for (const NetSource& piece : pieces) needed[piece.node] = true;
    };
    for (const Wanted& output : wanted) need(output.pieces);
    for (int i = static_cast<int>(needed.size()); i-- > 0;) {
      if (!needed[i]) continue;
      try {
        forms_[i] = FormOf(node(i));
      } catch (const ConfigError& error) {
        throw InLayer(error, node(i));
      }
      for (int slot = 0; slot < Slots(i); ++slot) {
        RefuseTargets(i, reads_.Of(i, slot));
        need(reads_.Of(i, slot));
      }
    }
  }

  // Throws if node `i` reads targets, which the model's input does not have.
  void RefuseTargets(int i, const Pieces& pieces) const {
    for (const NetSource& piece : pieces)
      if (node(piece.node).wiring.outputs_by_name && piece.output > 0)
        throw InLayer(
            ConfigError("srclayers", StrCat("reads the targets of layer \"", node(piece.node).name,
                                            "\": the rows that a model takes have none")),
            node(i));
  }

  static std::unique_ptr<LayerExport> FormOf(const NetNode& node) {
    const bool user = node.conf.has_user_type();
    std::unique_ptr<LayerExport> form = user ? nullptr : OnnxExports().Make(TypeOf(node.conf));
    if (form && node.wiring.is_input && IsCopyOfAStep(node))
      throw ConfigError("unroll_len",
                        "must be 1 for an input layer of a net that is exported: each time step "
                        "would read records of its own");
    if (form) return form;
    std::string known;
    for (const std::string& name : OnnxExports().Names())
      known += StrCat(known.empty() ? "" : ", ", name);
    throw ConfigError(user ? "user_type" : "type",
                      StrCat(TypeOf(node.conf), " has no form in ONNX; these have: ", known));
  }

  // Makes the number of steps free if a text is read, not records, and each layer and read has all
  // steps of the text or only the last.
  void ChooseSteps(const std::vector<Wanted>& wanted) {
    int steps = 1;
    for (size_t i = 0; i < forms_.size(); ++i)
      if (forms_[i] && GivesSteps(node(i)) && node(i).wiring.is_input) steps = StepsOf(node(i));
    if (steps == 1) return;
    const auto fits = [&](const Pieces& pieces) {
      const NetSource& first = pieces[0];
      const int all = StepsOf(node(first.node));
      return pieces.size() == 1 &&
             (first.steps == all || (first.steps == 1 && first.step == all - 1));
    };
    for (const Wanted& output : wanted)
      if (!fits(output.pieces)) return;
    for (int i = 0; i < static_cast<int>(forms_.size()); ++i) {
      if (!forms_[i]) continue;
      if (IsCopyOfAStep(node(i)) || (StepsOf(node(i)) != steps && StepsOf(node(i)) != 1)) return;
      for (int slot = 0; slot < Slots(i); ++slot)
        if (!fits(reads_.Of(i, slot))) return;
    }
    steps_.SetFree(steps);
  }

  static ConfigError InLayer(const ConfigError& error, const NetNode& node) {
    return error.Under(node.path).Under("neuralnet");
  }

  // Returns the number of sources without labels.
  int Slots(int i) const {
    return std::min(forms_[i]->sources, static_cast<int>(node(i).in.size()));
  }

  // Returns the rows of the pieces as one value.
  std::string Rows(const Pieces& pieces) {
    OnnxNames parts;
    for (const NetSource& piece : pieces) {
      const NetNode& maker = node(piece.node);
      const std::string& value = values_[piece.node][piece.output];
      const int steps = StepsOf(maker);
      parts.push_back(piece.steps == steps ? value
                                           : steps_.Cut(value, steps, piece.step, piece.steps,
                                                        SizesOf(maker, piece.output)));
      if (graph_.IsInteger(value)) graph_.SetInteger(parts.back());
    }
    if (parts.size() == 1) return parts[0];
    const std::string all = graph_.Fresh(parts[0] + "#joined");
    graph_.Add("Concat", parts, {all}, {OnnxInt("axis", 0)});
    return all;
  }

  std::string Source(int i, int slot) {
    const std::string value = Rows(reads_.Of(i, slot));
    if (!graph_.IsInteger(value) || forms_[i]->reads_integers) return value;
    const std::string number = graph_.Fresh(value + "#float");
    graph_.Add("Cast", {value}, {number}, {OnnxInt("to", onnx::TensorProto::FLOAT)});
    return number;
  }

  void Write(int i) {
    OnnxNames in;
    for (int slot = 0; slot < Slots(i); ++slot) in.push_back(Source(i, slot));
    OnnxLayer layer(node(i), in, &steps_, &graph_);
    try {
      forms_[i]->write(&layer);
    } catch (const ConfigError& error) {
      throw InLayer(error, node(i));
    }
    values_[i] = layer.out();
    states_.insert(states_.end(), layer.states().begin(), layer.states().end());
    if (ScoresOf(node(i).conf) == kSoftmax)
      graph_.Describe("classes", StrCat(node(i).out[0]->data.shape()[1]));
  }

  // Adds an output, named after its layer even if the layer only passes a value on.
  void GiveOutput(const Wanted& output) {
    const NetSource& first = output.pieces[0];
    if (node(first.node).wiring.is_input)
      throw Error(kExitUsage,
                  StrCat("the loss reads the input layer ", output.name, ": nothing to compute"));
    const std::string value = Rows(output.pieces);
    const int steps = StepsOf(output.pieces);
    const std::vector<int64_t> sizes = SizesOf(node(first.node), first.output);
    OnnxDims dims = {"N"};
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    if (steps > 1) {
      steps_.Sequence(value, steps, sizes, output.name);
      dims.insert(dims.begin(), steps_.Dim(steps));
    } else if (value != output.name) {
      graph_.Add("Identity", {value}, {output.name});
    }
    graph_.AddOutput(output.name, dims);
  }

  const Net& net_;
  const NetReads reads_;
  OnnxGraph graph_;
  TimeSteps steps_;
  std::vector<std::unique_ptr<LayerExport>> forms_;  // for each node; null: not needed
  std::vector<OnnxNames> values_;                    // values of each node's outputs
  std::vector<std::pair<std::string, OnnxDims>> states_;
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
